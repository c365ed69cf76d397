"""The stream of events, read from its beginning."""
import asyncio
import json

from client import Wrong
from world import LEGAL


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
