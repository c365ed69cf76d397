"""Random sequences of valid calls by several tokens at once, and what must hold of the answers.

    sequences.py URL TOKEN_FILE SECONDS SEED [DOCUMENT]     DOCUMENT: another than the server's own

Submitters register targets, submit jobs and campaigns and cancel some; workers lease, complete, hand back and forget;
learners read the replay buffer, publish and step through sessions; a viewer turns pages; a stranger has no token. Held true:
what is put is what is got; the same key gives the same jobs and no more; a list in pages has everything once; a job
goes through its states in order and has one counted result; the streams tell each of them once.

One file, since the roles share one model of what the server should hold, and a new call belongs beside its check.
"""
import asyncio
import hashlib
import json
import random
import sys
import time
import uuid

from client import Client, Document, Wrong

LEGAL = {
    None: {"queued"},
    "queued": {"leased", "cancelled"},
    "leased": {"queued", "done", "dead", "cancelled"},
}
PROGRAM = b"define i32 @sum(i32 %a) {\n  %b = add i32 %a, 0\n  ret i32 %b\n}\n"
END = {"done", "dead", "cancelled"}
RULES = [{"source": "*", "pipeline": "default<O3>", "knobs": {"unroll-count": "4"}}]


class World:
    def __init__(self, url, document, counts):
        self.url, self.document, self.counts = url, document, counts
        self.until = 0.0
        self.tag = uuid.uuid4().hex[:8]  # of every name, so that a server may be used again
        self.targets = {}  # name -> what was put last
        self.jobs = {}  # id -> the last state seen
        self.campaigns = set()
        self.results = {}  # attempt -> its job and outcome, as counted
        self.policies = {}  # target -> versions

    def client(self, token):
        return Client(self.url, token, self.document, self.counts)

    def see(self, job, state):
        """A state that an answer tells. Between two looks there may have been others."""
        before = self.jobs.get(job)
        if before in END and state != before:
            raise Wrong(f"job {job} was {before} and is {state}")
        self.jobs[job] = state


def spec_of(rng, name, artifact):
    return {
        "name": name,
        "source": {"artifact": artifact},
        "build": {"commands": [["make", "-j{jobs}"]], "binaries": ["b"], "timeout_seconds": rng.randint(1, 86400)},
        "benchmark": {
            "command": ["{build}/b", "-%d" % rng.randint(0, 9)],
            "metric": {"metric": rng.choice(["cpu_time", "wall_time", "text_bytes"])},
            "links": rng.randint(1, 64),
        },
        "tune": {"include": rng.choice([["*"], ["lib/*.c", "src/ä*"]]), "exclude": []},
    }


def holds(sent, got, where=""):
    """Everything that was sent is in what was got."""
    if isinstance(sent, dict):
        for key, value in sent.items():
            if key not in got:
                raise Wrong(f"{where}/{key} was put and is not got")
            holds(value, got[key], f"{where}/{key}")
    elif sent != got:
        raise Wrong(f"{where} was put as {sent!r} and is got as {got!r}")


async def upload(client, rng):
    """In pieces, some of them sent to a wrong place or again."""
    content = rng.randbytes(rng.randint(1, 20000))
    name = hashlib.sha256(content).hexdigest()
    begun = (await client.ask("POST", f"/v1/artifacts/{name}/upload", {"size_bytes": len(content)}, expect={201})).json()
    path, offset = f"/v1/uploads/{begun['id']}", 0
    while offset < len(content):
        if rng.random() < 0.3:
            wrong = {"Upload-Offset": str(rng.choice([offset + 1, len(content) + 7, 2**62]))}
            await client.ask("PATCH", path, b"x", wrong, expect={409, 413})
            at = (await client.ask("GET", path, expect={200})).json()["offset"]
            if at != offset:
                raise Wrong(f"{path} is at {at}, {offset} bytes were sent")
        size = rng.randint(1, 9000)
        piece = content[offset : offset + size]
        answer = await client.ask("PATCH", path, piece, {"Upload-Offset": str(offset)}, expect={200, 201, 204})
        offset += len(piece)
        if (answer.status == 204) != (offset < len(content)):
            raise Wrong(f"{path} answers {answer.status} after {offset} of {len(content)} bytes")
    if (await client.ask("GET", f"/v1/artifacts/{name}", expect={200})).body != content:
        raise Wrong(f"artifact {name} is got as other bytes than were sent")
    await client.ask("GET", path, expect={404})


async def submitter(world, rng, token, number, artifact):
    client = world.client(token)
    mine = []
    while time.time() < world.until:
        what = rng.random()
        name = f"t{number}-{rng.randint(0, 3)}-{world.tag}"
        if what < 0.15 or name not in world.targets:
            spec = spec_of(rng, name, artifact)
            put = (await client.ask("PUT", f"/v1/targets/{name}", spec, expect={200, 201})).json()
            got = (await client.ask("GET", f"/v1/targets/{name}", expect={200})).json()
            holds(spec, got["spec"])
            if got["version"] != put["version"]:
                raise Wrong(f"target {name}: version {put['version']} was put, {got['version']} is got")
            again = (await client.ask("PUT", f"/v1/targets/{name}", spec, expect={200})).json()
            if again["version"] != put["version"]:
                raise Wrong(f"target {name}: the same again is version {again['version']}, not {put['version']}")
            world.targets[name] = spec
        elif what < 0.18:
            await upload(client, rng)
        elif what < 0.45:
            jobs = [
                {
                    "target": name,
                    "rules": RULES,
                    "stage": rng.choice(["race", "confirm"]),
                    "priority": rng.randint(-100, 100),
                    "max_attempts": rng.randint(1, 3),
                    "note": rng.choice(["", "n", "ü\n\"\\"]),
                }
                for _ in range(rng.randint(1, 5))
            ]
            headers = {"Idempotency-Key": f"{world.tag}-{rng.getrandbits(64)}"}
            made = (await client.ask("POST", "/v1/jobs", {"jobs": jobs}, dict(headers), expect={201})).json()
            ids = [job["id"] for job in made["jobs"]]
            if len(ids) != len(jobs) or len(set(ids)) != len(ids):
                raise Wrong(f"{len(jobs)} jobs were submitted, the answer is {made}")
            for job in ids:
                world.jobs.setdefault(job, None)
            mine += ids
            if rng.random() < 0.3:
                same = (await client.ask("POST", "/v1/jobs", {"jobs": jobs}, dict(headers), expect={200})).json()
                if same != made:
                    raise Wrong(f"the same key gives {same} after {made}")
                await client.ask("POST", "/v1/jobs", {"jobs": jobs + jobs[:1]}, dict(headers), expect={409})
        elif what < 0.6:
            body = {"target": name, "budget_candidates": rng.randint(1, 6), "seed": rng.randint(0, 2**53 - 1)}
            campaign = (await client.ask("POST", "/v1/campaigns", body, expect={201})).json()
            holds(body, campaign)
            world.campaigns.add(campaign["id"])
            candidates = [
                {"origin": "fuzz", "log_propensity": -rng.random() * 700, "rules": RULES}
                for _ in range(rng.randint(1, body["budget_candidates"]))
            ]
            path = f"/v1/campaigns/{campaign['id']}"
            made = (
                await client.ask(
                    "POST", path + "/candidate-sets", {"generator": "fuzz", "candidates": candidates}, expect={201}
                )
            ).json()
            for job in made["jobs"]:
                world.jobs.setdefault(job, None)
            mine += made["jobs"]
            listed = (await client.ask("GET", path + "/candidates", expect={200})).json()["items"]
            for sent, got in zip(candidates, listed, strict=True):
                if abs(sent["log_propensity"] - got["log_propensity"]) > 0:
                    raise Wrong(f"log propensity {sent['log_propensity']} is got as {got['log_propensity']}")
            if rng.random() < 0.5:
                await client.ask("POST", path + "/cancel", expect={200, 409})
                state = (await client.ask("GET", path, expect={200})).json()["state"]
                if state not in ("cancelled", "finished", "failed"):
                    raise Wrong(f"campaign {campaign['id']} was cancelled and is {state}")
        elif what < 0.7 and mine:
            job = rng.choice(mine)
            answer = await client.ask("POST", f"/v1/jobs/{job}/cancel", {}, expect={200, 409})
            state = (await client.ask("GET", f"/v1/jobs/{job}", expect={200})).json()["state"]
            # A worker that measures it is told by its next heartbeat.
            if answer.status == 200 and state not in END | {"leased"}:
                raise Wrong(f"job {job} was cancelled and is {state}")
            world.see(job, state)
        elif mine:
            job = rng.choice(mine)
            for look in range(3):
                view = (await client.ask("GET", f"/v1/jobs/{job}?samples={rng.randint(0, 1)}", expect={200})).json()
                world.see(job, view["state"])
                counted = [a for a in view.get("attempts", []) if a["state"] == "completed"]
                if len(counted) == (view["state"] == "done"):
                    break
            else:  # the job and its attempts are two reads: once there may be a completion in between
                raise Wrong(f"job {job} is {view['state']} with {len(counted)} counted attempts")


def reward_of(rng):
    value = rng.uniform(-1, 1)
    around = {"value": value, "low": value - 0.1, "high": value + 0.1}
    return {**around, "confidence": 0.95, "pairs": 3, "detectable_effect": 0.01, "noise": rng.choice([0.1, 5e-324])}


def result_of(rng):
    if rng.random() < 0.3:
        reason = f"ä\u0001\n{rng.random()}"
        return {"outcome": rng.choice(["build_failed", "miscompiled", "timed_out"]), "reason": reason}
    samples = [
        {"pair": i // 2, "position": i % 2, "block": 0, "layout": 0, "metric": "cpu_time", "value": rng.random() + 1e-9,
         "role": ["baseline", "candidate"][i % 2]}
        for i in range(6)
    ]
    decision = {"source": "a.c", "tuned": True, "meant": True, "log_propensity": rng.choice([None, -0.0, -700])}
    return {
        "outcome": "ok",
        "verdict": rng.choice(["faster", "slower", "no_change", "inconclusive"]),
        "reward": reward_of(rng),
        "samples": samples,
        "decisions": [decision],
        "machine": {"host": "h", "cpus": 2},
        "log": "l" * rng.randint(0, 2000),
        "warnings": ["w"],
    }


async def worker(world, rng, token, number):
    client = world.client(token)
    name = f"w{number}-{world.tag}"
    body = {"name": name, "machine": {"host": "fuzz", "cpus": 1}, "labels": {"a": "ü"}, "slots": 1}
    await client.ask("PUT", f"/v1/workers/{name}", body, expect={200})
    while time.time() < world.until:
        ask = {"version": 1, "worker": name, "wait_seconds": rng.randint(0, 1)}
        leased = await client.ask("POST", "/v1/leases", ask, expect={200, 204})
        if leased.status == 204:
            continue
        lease = leased.json()
        path = f"/v1/leases/{lease['attempt']}"
        gone = {404, 409, 410}
        what = rng.random()
        if what < 0.1:
            continue  # forgets it: it comes back when the lease has expired
        if what < 0.4:
            await client.ask("POST", path + "/heartbeat", {}, expect={200} | gone)
        if what < 0.2:
            await client.ask("POST", path + "/fail", {"reason": "no luck", "count_attempt": what < 0.15}, expect={200} | gone)
            await client.ask("POST", path + "/heartbeat", expect=gone)
            continue
        result = result_of(rng)
        answer = await client.ask("POST", path + "/complete", result, expect={200} | gone)
        if answer.status != 200:
            continue
        if lease["attempt"] in world.results:
            raise Wrong(f"attempt {lease['attempt']} was leased twice")
        world.results[lease["attempt"]] = (lease["job"], result["outcome"])
        if rng.random() < 0.3:
            await client.ask("POST", path + "/complete", result, expect={200})
            await client.ask("POST", path + "/complete", result_of(rng), expect=gone)
        view = (await client.ask("GET", f"/v1/artifacts/{'0' * 64}", expect={404}))
        if view.json()["code"] != "not_found":
            raise Wrong(f"{view.json()}")


async def pages(client, rng, path, key="id"):
    """A list in pages of random sizes: every item once."""
    seen, cursor = set(), None
    while True:
        joint = "&" if "?" in path else "?"
        page = f"{path}{joint}limit={rng.randint(1, 200)}" + (f"&cursor={cursor}" if cursor else "")
        answer = (await client.ask("GET", page, expect={200})).json()
        for item in answer["items"]:
            if item[key] in seen:
                raise Wrong(f"{path} has {item[key]} twice")
            seen.add(item[key])
        cursor = answer["next_cursor"]
        if cursor is None:
            return seen


async def viewer(world, rng, token):
    client = world.client(token)
    while time.time() < world.until:
        what = rng.randint(0, 8)
        if what == 0:
            before = set(world.jobs)
            missing = before - await pages(client, rng, "/v1/jobs")
            if missing:
                raise Wrong(f"the list of jobs lacks {missing}")
        elif what == 1:
            before = set(world.campaigns)
            missing = before - await pages(client, rng, "/v1/campaigns")
            if missing:
                raise Wrong(f"the list of campaigns lacks {missing}")
        elif what == 2:
            before = set(world.targets)
            if before - await pages(client, rng, "/v1/targets", "name"):
                raise Wrong("the list of targets lacks some")
        elif what == 3:
            for view in ("overview", "fleet", "policies", "explorer"):
                await client.ask("GET", f"/v1/views/{view}", expect={200, 404})
        elif what == 4 and world.targets:
            name = rng.choice(sorted(world.targets))
            await client.ask("GET", f"/v1/views/targets/{name}/history?points={rng.randint(2, 50)}", expect={200, 400})
            await client.ask("GET", f"/v1/views/policies/{name}", expect={200, 404})
        elif what == 5 and world.campaigns:
            await client.ask("GET", f"/v1/views/campaigns/{rng.choice(sorted(world.campaigns))}", expect={200})
        elif what == 6 and world.jobs:
            await client.ask("GET", f"/v1/views/jobs/{rng.choice(sorted(world.jobs))}", expect={200})
        elif what == 7:
            for path in ("/v1/jobs", "/v1/campaigns", "/v1/targets", "/v1/workers"):
                await client.ask("GET", path + "?format=csv", expect={200})
        else:
            await client.ask("POST", "/v1/jobs", {"jobs": []}, {"Idempotency-Key": "k"}, expect={403})
            await client.ask("GET", "/v1/tokens", expect={403})
            await client.ask("PUT", "/v1/workers/w0", {"name": "w0"}, expect={403})


async def learner(world, rng, token):
    client = world.client(token)
    after, seen = "", {}
    while time.time() < world.until:
        after = await read_experiences(client, after, seen, rng.randint(1, 100))
        if world.targets:
            name = rng.choice(sorted(world.targets))
            versions = world.policies.setdefault(name, [])
            document = {
                "format": 1,
                "target": name,
                "sequence": len(versions) + 1,
                "compiler": {"family": "clang", "major": 19},
                "card": {"text": "ä\u0001\n", "n": rng.random()},
                "rules": RULES,
            }
            unread = {**document, "rules": [{"requires": ["tomorrow"], "x": {"a": "\u0000"}}]}
            await client.ask("POST", f"/v1/policies/{name}", {"document": unread}, expect={400})
            answer = await client.ask("POST", f"/v1/policies/{name}", {"document": document}, expect={201, 409})
            if answer.status == 201:
                version = answer.json()["version"]
                versions.append(version)
                got = await client.ask("GET", f"/v1/policies/{name}?version={version}", expect={200})
                # Of a policy that is not signed honed raises the sequence where a campaign's came between.
                holds({**document, "sequence": answer.json()["sequence"]}, got.json())
                if hashlib.sha256(got.body).hexdigest() != answer.json()["sha256"]:
                    raise Wrong(f"policy {name} {version} is served as other bytes than were hashed")
                headers = {"If-None-Match": got.headers["etag"]}
                await client.ask("GET", f"/v1/policies/{name}?version={version}", None, headers, expect={304})
        await asyncio.sleep(rng.random() / 4)


async def read_experiences(client, after, seen, limit=None):
    path = "/v1/experiences?" + (f"after={after}&" if after else "") + (f"limit={limit}" if limit else "")
    answer = await client.ask("GET", path.rstrip("?&"), expect={200})
    for line in answer.body.decode().splitlines():
        experience = json.loads(line)
        if experience["attempt"] in seen:
            raise Wrong(f"the replay buffer has attempt {experience['attempt']} twice")
        seen[experience["attempt"]] = (experience["job"], experience["outcome"])
        after = experience["cursor"]
    return after


ODD = [None, True, 0, -1, 1, 0.5, -0.0, 5e-324, 1e-40, -1e-300, 1e18, 1e19, 1e308, 2**31 - 1, 2**31, 2**53 - 1, 2**53, 2**63 - 1,
       2**63, 2**64, -(2**63), "", "x", "\u0000", "a\u0000b", "\ud83d\ude00", "\u202e", "'", "{}", "%s", "..", "/", "a" * 5000, [], {},
       [None], [[]], {"": ""}, {"a": {"a": {}}}, ["a"] * 300]


def bent(rng, value):
    """The document with one value, somewhere, replaced by an odd one, or with a member more."""
    if isinstance(value, dict) and value and rng.random() < 0.9:
        made = dict(value)
        if rng.random() < 0.05:
            made[rng.choice(["x", "", "\u0000"])] = rng.choice(ODD)
        else:
            key = rng.choice(sorted(made))
            made[key] = bent(rng, made[key])
        return made
    if isinstance(value, list) and value and rng.random() < 0.9:
        made = list(value)
        at = rng.randrange(len(made))
        made[at] = bent(rng, made[at])
        return made
    return rng.choice(ODD)


async def vandal(world, rng, admin, artifact):
    """Almost right bodies as an admin: whatever becomes of them, it is no failure of honed's, then or later."""
    client = world.client(admin)
    name = f"bent-{world.tag}"
    await client.ask("PUT", f"/v1/targets/{name}", spec_of(rng, name, artifact), expect={201})
    await client.ask("PUT", f"/v1/workers/{name}", {"name": name}, expect={200})
    job = {"target": name, "rules": RULES, "stage": "race", "priority": 0, "max_attempts": 1, "note": "n"}
    policy = {"format": 1, "target": name, "sequence": 1, "compiler": {"family": "clang", "major": 19, "version": "19.1.7"}, "commit": "c",
              "created_at": "2026-01-01T00:00:00Z", "card": {"a": [1]}, "cpu_limit_seconds": 1, "rules": RULES}
    check = {"verdict": "no_change", "reward": reward_of(rng), "baseline_value": 1.5}
    while time.time() < world.until:
        key = {"Idempotency-Key": f"{world.tag}-{rng.getrandbits(64)}"}
        what = rng.randint(0, 6)
        if what == 0:
            await client.ask("PUT", f"/v1/targets/{name}", bent(rng, spec_of(rng, name, artifact)))
        elif what == 1:
            await client.ask("POST", "/v1/jobs", bent(rng, {"jobs": [job, job]}), key)
        elif what == 2:
            body = {"target": name, "budget_candidates": 5, "budget_seconds": 100, "seed": 1, "baseline": "O3", "priority": 0}
            made = await client.ask("POST", "/v1/campaigns", bent(rng, body))
            if made.status == 201:
                path = f"/v1/campaigns/{made.json()['id']}"
                items = [{"origin": "o", "note": "n", "log_propensity": -1.5, "rules": RULES}] * 2
                await client.ask("POST", path + "/candidate-sets", bent(rng, {"generator": "g", "scheme": "s", "seed": 1, "candidates": items}))
                await client.ask("GET", f"/v1/views/campaigns/{path.rsplit('/', 1)[1]}", expect={200})
        elif what == 3:
            signed = {"document": policy, "signature": "AAAA"} if rng.random() < 0.3 else {"document": policy}
            await client.ask("POST", f"/v1/policies/{name}", bent(rng, signed))
        elif what == 4:
            await client.ask("PUT", f"/v1/workers/{name}", bent(rng, {"name": name, "machine": {"host": "h", "cpus": 1}, "labels": {"a": "b"}, "slots": 1}))
        else:
            ask = {"version": 1, "worker": name, "wait_seconds": 0}
            leased = await client.ask("POST", "/v1/leases", ask, expect={200, 204, 404})
            if leased.status == 200:
                path = f"/v1/leases/{leased.json()['attempt']}"
                for _ in range(3):
                    body = {**result_of(rng), "self_check": check, "profile": {"files": [{"source": "a.c", "share": 0.5}]}}
                    done = await client.ask("POST", path + "/complete", bent(rng, body))
                    if done.status == 200:
                        world.results[path.rsplit("/", 1)[1]] = None  # of what outcome it is, was left to chance
                        break
        if rng.random() < 0.1:
            for view in ("overview", "fleet", "policies", f"policies/{name}"):
                await client.ask("GET", f"/v1/views/{view}", expect={200, 404})
            await client.ask("GET", f"/v1/views/targets/{name}/history?points=10", expect={200, 400})
            await client.ask("GET", f"/v1/targets/{name}", expect={200})
            await pages(client, rng, f"/v1/jobs?target={name}")


async def stepper(world, rng, token):
    client = world.client(token)
    program = hashlib.sha256(PROGRAM).hexdigest()
    await client.ask("PUT", f"/v1/artifacts/{program}", PROGRAM, expect={200, 201})
    passes = ["function(sroa)", "function(gvn)", "globaldce", "function(loop-mssa(licm))"]
    while time.time() < world.until:
        opened = await client.ask("POST", "/v1/sessions", {"program": program, "log": True}, expect={201})
        path, applied = f"/v1/sessions/{opened.json()['session']}", 0
        for _ in range(rng.randint(1, 4)):
            chosen = [rng.choice(passes) for _ in range(rng.randint(1, 3))]
            body = {"pipelines": chosen, "log_propensities": [-rng.random() * 700 for _ in chosen], "observe": ["Autophase"]}
            state = (await client.ask("POST", path + "/step", body, expect={200})).json()
            applied += len(chosen)
            if state["outcome"] != "ok" or state["length"] != applied:
                raise Wrong(f"{len(chosen)} steps after {applied - len(chosen)}: {state}")
        back = rng.randint(1, applied)
        state = (await client.ask("POST", path + "/undo", {"count": back}, expect={200})).json()
        if state["length"] != applied - back:
            raise Wrong(f"{back} of {applied} steps undone: {state}")
        await client.ask("POST", path + "/undo", {"count": applied + 1}, expect={400})
        fork = (await client.ask("POST", path + "/fork", expect={201})).json()["session"]
        await client.ask("POST", f"/v1/sessions/{fork}/reset", expect={200})
        for each in (path, f"/v1/sessions/{fork}"):
            await client.ask("DELETE", each, expect={204})
            await client.ask("POST", each + "/observe", expect={404})


async def stranger(world, rng):
    paths = [(verb, pattern) for _, verb, _, pattern, op in world.document.operations if op.get("security") != []]
    while time.time() < world.until:
        client = world.client(rng.choice([None, "x", "hone_" + "0" * 64]))
        verb, path = rng.choice(paths)
        path = path.replace("{", "").replace("}", "")
        await client.ask(verb, path, None, expect={401})
        await client.close()
        await asyncio.sleep(0.05)


async def read_events(world, token):
    """All events from the beginning: legal transitions, each in order."""
    host, port = world.client(token).host, world.client(token).port
    reader, writer = await asyncio.open_connection(host, int(port), limit=1 << 26)
    writer.write(
        f"GET /v1/events?after=0-0 HTTP/1.1\r\nHost: {host}\r\nAuthorization: Bearer {token}\r\n\r\n".encode()
    )
    head = await reader.readuntil(b"\r\n\r\n")
    if b" 200 " not in head.split(b"\r\n")[0]:
        writer.close()
        return None
    states, text = {}, b""
    try:
        while size := int(await asyncio.wait_for(reader.readline(), 3), 16):
            text += await reader.readexactly(size)
            await reader.readexactly(2)
            if text.endswith(b":\n\n"):
                break  # nothing more for now
    except (asyncio.TimeoutError, asyncio.IncompleteReadError, ValueError):
        pass
    writer.close()
    for block in text.decode().split("\n\n"):
        data = next((line[6:] for line in block.split("\n") if line.startswith("data: ")), None)
        event = json.loads(data) if data else {}
        if event.get("kind") == "job":
            before = states.get(event["job"])
            if event["state"] not in LEGAL.get(before, set()):
                raise Wrong(f"job {event['job']} went from {before} to {event['state']}")
            states[event["job"]] = event["state"]
    return states


async def run(url, token_file, seconds, seed, document=None):
    admin_token = open(token_file, encoding="utf-8").read().strip()
    counts = {}
    bare = Client(url, admin_token, None, counts)
    if document is None:
        text = (await bare.once("GET", "/openapi.json", None, {})).body
    else:
        text = open(document, encoding="utf-8").read()
    document = Document(json.loads(text))
    await bare.close()
    world = World(url, document, counts)
    admin = world.client(admin_token)
    rng = random.Random(seed)
    tag = world.tag
    tokens = {}
    for name, role in [(f"s{i}", "submitter") for i in range(3)] + [(f"w{i}", "worker") for i in range(3)] + [
        ("v", "viewer"),
        ("l", "learner"),
        ("g", "learner"),
    ]:
        made = (await admin.ask("POST", "/v1/tokens", {"name": f"{name}-{tag}", "role": role}, expect={201})).json()
        tokens[name] = made["token"]
    bytes_ = rng.randbytes(1000)
    artifact = hashlib.sha256(bytes_).hexdigest()
    await admin.ask("PUT", f"/v1/artifacts/{artifact}", bytes_, expect={200, 201})
    if (await admin.ask("GET", f"/v1/artifacts/{artifact}", expect={200})).body != bytes_:
        raise Wrong("an artifact is got as other bytes than were put")
    world.until = time.time() + seconds
    own = lambda: random.Random(rng.getrandbits(64))
    await asyncio.gather(
        *(submitter(world, own(), tokens[f"s{i}"], i, artifact) for i in range(3)),
        *(worker(world, own(), tokens[f"w{i}"], i) for i in range(3)),
        viewer(world, own(), tokens["v"]),
        learner(world, own(), tokens["l"]),
        stepper(world, own(), tokens["g"]),
        vandal(world, own(), admin_token, artifact),
        stranger(world, own()),
    )
    seen = {}
    await read_experiences(admin, "", seen)
    for attempt, counted in world.results.items():
        if attempt not in seen or (counted and seen[attempt] != counted):
            raise Wrong(f"attempt {attempt} was counted as {counted}, the replay buffer has {seen.get(attempt)}")
    for job in sorted(world.jobs):
        view = (await admin.ask("GET", f"/v1/jobs/{job}", expect={200})).json()
        world.see(job, view["state"])
    told = await read_events(world, admin_token)
    ends = {job: state for job, state in world.jobs.items() if state in END}
    for job, state in ends.items():
        if told is not None and told.get(job) != state:
            raise Wrong(f"job {job} is {state}, the events end with {told.get(job)}")
    for job in sorted(set(world.jobs) - set(ends)):
        await admin.ask("POST", f"/v1/jobs/{job}/cancel", {}, expect={200, 409})
    for listed in (await admin.ask("GET", "/v1/tokens", expect={200})).json()["items"]:
        if listed["name"].endswith(tag):
            await admin.ask("DELETE", f"/v1/tokens/{listed['id']}", expect={204})
    await world.client(tokens["v"]).ask("GET", "/v1/jobs", expect={401})
    statuses = " ".join(f"{status}:{count}" for status, count in sorted(counts.items()))
    print(f"{len(world.jobs)} jobs, {len(world.results)} results, {len(world.campaigns)} campaigns; {statuses}")
    print(f"calls without a finding: {sum(counts.values())}")


def main():
    if len(sys.argv) not in (5, 6):
        print(__doc__, file=sys.stderr)
        sys.exit(2)
    url, token_file, seconds, seed = sys.argv[1:5]
    try:
        asyncio.run(run(url, token_file, float(seconds), int(seed), *sys.argv[5:]))
    except Wrong as wrong:
        print(f"WRONG (seed {seed}): {wrong}")
        sys.exit(1)


if __name__ == "__main__":
    main()
