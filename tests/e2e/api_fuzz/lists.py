"""Whatever is read in pages, or goes on by a cursor, has everything once."""
import json

from client import Wrong


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
