"""A submitter: registers targets, submits jobs and campaigns, cancels some, uploads artifacts."""
import hashlib
import time

from bodies import RULES, spec_of
from client import Wrong
from world import END, holds


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
