"""A stranger: has no token that is known, wherever he calls."""
import asyncio
import time


async def stranger(world, rng):
    paths = [(verb, pattern) for _, verb, _, pattern, op in world.document.operations if op.get("security") != []]
    while time.time() < world.until:
        client = world.client(rng.choice([None, "x", "hone_" + "0" * 64]))
        verb, path = rng.choice(paths)
        path = path.replace("{", "").replace("}", "")
        await client.ask(verb, path, None, expect={401})
        await client.close()
        await asyncio.sleep(0.05)
