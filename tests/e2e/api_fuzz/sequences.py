"""Random sequences of valid calls by several tokens at once, and what must hold of the answers.

    sequences.py URL TOKEN_FILE SECONDS SEED [DOCUMENT]     DOCUMENT: another than the server's own

Submitters register targets, submit jobs and campaigns and cancel some; workers lease, complete, hand back and forget;
learners read the replay buffer, publish and step through sessions; a viewer turns pages; a stranger has no token. Held true:
what is put is what is got; the same key gives the same jobs and no more; a list in pages has everything once; a job
goes through its states in order and has one counted result; the streams tell each of them once.

A file a role in roles/, where a new call belongs beside its check; what the server should hold, as all of them see it,
is world.py's.
"""
import asyncio
import hashlib
import json
import random
import sys
import time

from client import Client, Document, Wrong
from events import read_events
from lists import read_experiences
from roles.learner import learner
from roles.stepper import stepper
from roles.stranger import stranger
from roles.submitter import submitter
from roles.vandal import vandal
from roles.viewer import viewer
from roles.worker import worker
from world import END, World


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
