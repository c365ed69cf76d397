"""A worker: leases, completes, hands back and forgets."""
import time

from bodies import result_of
from client import Wrong


async def worker(world, rng, token, number):
    client = world.client(token)
    name = f"w{number}-{world.tag}"
    body = {"name": name, "machine": {"host": "fuzz", "cpus": 1}, "labels": {"a": "ü"}, "slots": 1}
    await client.ask("PUT", f"/v1/workers/{name}", body, expect={200})
    while time.time() < world.until:
        ask = {"version": 1, "worker": name, "wait_seconds": rng.randint(0, 1)}
        # 429: what it forgot has not expired yet.
        leased = await client.ask("POST", "/v1/leases", ask, expect={200, 204, 429})
        if leased.status != 200:
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
