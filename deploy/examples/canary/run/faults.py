"""Canaries that are known: the baseline's own build with a planted fault, which is to be withdrawn, or without one."""
import trail
from canary import Canary
from staging import TARGET

PLANTED = {"tail": "tail=0.2", "cpu": "cpu=0.05", "variance": "variance=0.5", "crash": "crash=5"}
WORDS = {"tail": "the slowest tenth takes 20 % longer", "cpu": "5 % more processor time", "variance": "more variance",
         "crash": "ends itself every 5 s"}
RATE = 200
# Requests that are much alike: the fewer of them tell a small difference.
MIX = ["--mix", "text=1", "--levels", "3", "--sizes", "32768-32768"]
FAULT_WINDOWS, AA_WINDOWS = 200, 30
CANARY_SECONDS = 600
MOST_CLAIMED = 0.1  # of equal canaries


def spec(version, most_windows):
    """All six indicators, with the tolerances of the documentation, at the share that makes all instances alike."""
    return {"policy_version": version, "ramp": {"steps": [25], "step_windows": 8, "most_windows": most_windows}}


def requests_between(world, began, ended):
    """Of the load: (seconds since 1970, server, status)."""
    with open(world.out / "load.log") as log:
        start = float(next(line for line in log if line.startswith("began")).split()[1])
    rows = []
    with open(world.out / "requests") as file:
        for line in file:
            words = line.split()
            if len(words) == 4 and began <= start + float(words[0]) <= ended:
                rows.append((start + float(words[0]), words[1], int(words[3])))
    return rows


def hurt_by(fault, rows):
    """How many of these requests were worse off for the fault."""
    if fault == "crash":
        return sum(status == 0 or status >= 500 for _, _, status in rows)
    at_canary = sum(server == "new" for _, server, _ in rows)
    return at_canary / 10 if fault == "tail" else at_canary


def ratio(document, name):
    """How much worse the canary's indicator was."""
    for sli in (document["judgement"] or {}).get("slis", []):
        if sli["sli"] == name and sli["baseline"] > 0:
            return f"{100 * (sli['canary'] / sli['baseline'] - 1):+.1f} %"
    return "?"


def try_one(world, program, version, faults, windows, name):
    world.start_instance("new", program, faults)
    canary = Canary(world, spec(version, windows), CANARY_SECONDS)
    document = canary.wait()
    canary.write(document, name)
    world.all_to_baseline()
    world.stop("new")
    return canary, document


def withdrawn_for_harm(document):
    return document["status"]["state"] == "rolled_back" and "not ruled out" not in document["status"]["reason"]


def plant(world, program, version, fault):
    """Whether it was withdrawn, and the lines that say so."""
    canary, document = try_one(world, program, version, PLANTED[fault], FAULT_WINDOWS, f"fault-{fault}")
    rows = requests_between(world, canary.began, canary.ended)
    first = next((at for at, server, _ in rows if server == "new"), canary.began)
    withdrawn = withdrawn_for_harm(document)
    hurt = hurt_by(fault, rows)
    print(f"== planted: {WORDS[fault]} ({PLANTED[fault]})")
    print(f"{'rolled back' if withdrawn else 'NOT rolled back'} {canary.ended - first:.0f} s after its first request, "
          f"{document['windows']} windows: {document['status']['reason']}")
    print(f"measured: p50 {ratio(document, 'latency_p50')}, p95 {ratio(document, 'latency_p95')}, processor time "
          f"{ratio(document, 'cpu_per_request')}; requests at the canary: "
          f"{100 * sum(server == 'new' for _, server, _ in rows) / len(rows):.1f} % of {len(rows)}, "
          f"hurt: {100 * hurt / len(rows):.2f} %")
    for line in trail.indicators(document):
        print(line)
    print(flush=True)
    return withdrawn


def run_equal(world, program, version, count, say):
    """How many of so many equal canaries were called worse."""
    claimed, seen = 0, {}
    for number in range(1, count + 1):
        say(f"equal canary {number} of {count}")
        canary, document = try_one(world, program, version, "", AA_WINDOWS, f"equal-{number}")
        harmed = withdrawn_for_harm(document)
        claimed += harmed
        print(f"equal canary {number}: {'CLAIMED WORSE' if harmed else 'no claim'}, {document['windows']} windows, "
              f"{canary.ended - canary.began:.0f} s, {document['status']['state']}: {document['status']['reason']}",
              flush=True)
        for sli in (document["judgement"] or {}).get("slis", []):
            if sli["detectable"]:
                seen.setdefault(sli["sli"], []).append(sli["detectable"])
    print("harm that 48 such windows would show (median): "
          + ", ".join(f"{name} {100 * sorted(values)[len(values) // 2]:.1f} %" for name, values in seen.items()))
    return claimed


def run(world, program, options, say):
    """Both parts as asked for; whether all was as it should be."""
    world.start_load(RATE, MIX)
    version = world.api.post(f"/v1/policies/{TARGET}", {"document": {
        "format": 1, "target": TARGET, "sequence": 1, "compiler": {"family": "clang", "major": 19},
        "provenance": "the plain build", "rules": [{"source": "*", "pipeline": "default<O3>"}]}})["version"]
    figures, good = [], True
    if options.faults:
        withdrawn = []
        for fault in options.only:
            say(f"planted: {fault}")
            withdrawn.append(plant(world, program, version, fault))
        good = all(withdrawn)
        figures.append(f"planted faults rolled back: {sum(withdrawn)} of {len(withdrawn)}")
    if options.aa:
        claimed = run_equal(world, program, version, options.aa, say)
        good = good and claimed <= max(1, int(MOST_CLAIMED * options.aa))
        figures.append(f"equal canaries called worse: {claimed} of {options.aa}")
    world.stop("load")
    with open("/proc/loadavg") as load:
        print(f"load of the machine at the end: {load.read().split()[0]}")
    print("; ".join(figures))
    return good
