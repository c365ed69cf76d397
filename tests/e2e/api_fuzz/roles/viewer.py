"""A viewer: turns pages, looks at views, and may not do more."""
import time

from client import Wrong
from lists import pages


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
