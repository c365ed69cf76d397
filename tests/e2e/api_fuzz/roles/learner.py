"""A learner: reads the replay buffer and publishes policies."""
import asyncio
import hashlib
import time

from bodies import RULES
from client import Wrong
from lists import read_experiences
from world import holds


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
