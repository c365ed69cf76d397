"""A stepper: applies, undoes and forks in compile sessions."""
import hashlib
import time

from client import Wrong

PROGRAM = b"define i32 @sum(i32 %a) {\n  %b = add i32 %a, 0\n  ret i32 %b\n}\n"


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
