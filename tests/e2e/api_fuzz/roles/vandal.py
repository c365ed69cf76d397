"""A vandal: sends, as an admin, bodies of which one value is odd."""
import time

from bodies import RULES, result_of, reward_of, spec_of
from lists import pages

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
