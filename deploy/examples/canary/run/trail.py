"""The report: each cycle's trail, from candidates to decision, for people."""


def per_cent(value):
    return "?" if value is None else f"{100 * value:+.1f} %"


def reward(estimate):
    """A log ratio with its interval and how much stands behind it."""
    if not estimate:
        return "none"
    return f"{per_cent(estimate['value'])} [{per_cent(estimate['low'])}, {per_cent(estimate['high'])}]"


def steps(document):
    """Windows and requests of each step of the ramp."""
    shares = {}
    for window in document["window_list"]:
        known = window["baseline"]["outcome"] == window["canary"]["outcome"] == "ok"
        step = shares.setdefault(window["share"], [0, 0, 0, 0])
        step[0] += 1
        step[1] += not known
        if known:
            step[2] += window["baseline"]["requests"]
            step[3] += window["canary"]["requests"]
    return [f"{share} %: {count} windows{f', {lost} told nothing' if lost else ''}, {old:.0f} and {new:.0f} requests"
            for share, (count, lost, old, new) in shares.items()]


def candidates(choice):
    for each in choice.candidates:
        job = each["job"] or {}
        mark = "*" if each["id"] == choice.candidate["id"] else " "
        told = reward(job["reward"]) if job.get("reward") else job.get("outcome") or "not measured"
        yield f"  {mark} {each['origin'] or 'learner'}: {each['note'] or '-'}: {told} {job.get('verdict') or ''}"


def indicators(document):
    for sli in (document["judgement"] or {}).get("slis", []):
        unit = 1 if sli["sli"] in ("latency_spread", "failure_share") else 1000
        name = sli["sli"] + ("" if unit == 1 else " (ms)")
        yield (f"    {name:<22} {unit * sli['baseline']:9.4f} {unit * sli['canary']:9.4f}  better by "
               f"{reward(sli['reward'])}, {sli['finding']}, would be seen: {per_cent(sli['detectable'])}")


def decisions(document):
    for each in document["decisions"]:
        yield f"    {each['at'][11:19]} {each['state']:<11} {each['share']:3} %, window {each['windows']}: {each['reason']}"


def version(number):
    return "none, the plain build" if number is None else f"version {number}"


def trail(cycle):
    """The lines of one cycle."""
    choice, batch, row = cycle.choice, cycle.campaign.batch, cycle.experience
    following = cycle.following.batch
    yield f"== cycle {cycle.number}{' (planted)' if cycle.plants else ''}"
    yield (f"proposed: campaign {cycle.campaign.id}, from {len(batch['staging'])} staging and "
           f"{len(batch['production'])} production experiences (* went to production)")
    yield from candidates(choice)
    yield (f"staging:  {reward(choice.reward)} on {choice.reward['pairs']} pairs, "
           + ("confirmed on fresh ones" if choice.confirmed else f"not confirmed: {choice.reason}")
           + f"; policy version {choice.version}")
    yield f"built:    {cycle.counted['tuned']} of {cycle.counted['meant']} compiles that were meant to be tuned were"
    yield f"canary:   {cycle.canary['id']}; in force before: {version(cycle.before)}"
    yield from decisions(cycle.canary)
    yield from (f"    at {line}" for line in steps(cycle.canary))
    yield from indicators(cycle.canary)
    yield (f"reward:   {row['slis'][0]['sli'] if row['slis'] else 'none'}: {reward(row['reward'])} "
           f"on {row['reward']['pairs'] if row['reward'] else 0} windows, outcome {row['outcome']}"
           f" ({row['verdict'] or row['reason']})")
    yield f"          where staging said {reward(choice.reward)}"
    yield f"decision: {cycle.canary['status']['state']}: {cycle.canary['status']['reason']}"
    yield f"in force: {version(cycle.after)}"
    yield (f"learnt:   experience {row['id']} is in the batch of {len(following['staging'])} staging and "
           f"{len(following['production'])} production experiences that the next proposal, campaign "
           f"{cycle.following.id}, was made from" if cycle.done else "learnt:   NO: it is in no batch")


def reversed_as_planted(cycles):
    """Whether the planted candidate won in staging, was withdrawn, and left in force what was."""
    planted = [cycle for cycle in cycles if cycle.plants]
    return bool(planted) and all(
        cycle.choice.candidate["origin"] == "planted" and cycle.choice.confirmed and cycle.choice.reward["low"] > 0
        and cycle.canary["status"]["state"] == "rolled_back" and cycle.after == cycle.before for cycle in planted)
