"""One canary: started, its lease given to HAProxy, watched to its end, its trail fetched."""
import json
import time

from programs import Failed, must_run, wait_for
from staging import TARGET

ENDED = ("promoted", "rolled_back", "aborted")


class Canary:
    def __init__(self, world, spec, seconds):
        """Begins at once. `seconds` is how long it may take at most."""
        self.world, self.seconds = world, seconds
        self.began = time.time()
        self.id = world.api.post("/v1/canaries", {"target": TARGET, **spec})["id"]
        world.lease_of(self.id)

    def wait(self):
        """Its document with all windows, once it has ended and traffic has left it."""
        until = time.monotonic() + self.seconds
        while True:
            self.world.check()
            document = self.world.api.get(f"/v1/canaries/{self.id}")
            if document["status"]["state"] in ENDED and document["follows"]:
                break
            if time.monotonic() > until:
                self.world.api.post(f"/v1/canaries/{self.id}/abort", {"reason": "the demonstration's time is over"})
                raise Failed(f"canary {self.id} has not ended after {self.seconds} s: {document['status']['reason']}")
            time.sleep(0.3)
        self.ended = time.time()
        return self.world.api.get(f"/v1/canaries/{self.id}?windows=1")

    def write(self, document, name):
        """The document, and `hone canary report`'s page, to the folder of results."""
        (self.world.out / f"{name}.json").write_text(json.dumps(document, indent=1))
        page = self.world.out / f"{name}.md"
        page.unlink(missing_ok=True)
        must_run([self.world.bin / "hone", "canary", "report", self.id], page, self.world.environment)

    def experience(self):
        """Its row of the replay buffer, which comes with its end."""
        def row():
            return next((each for each in self.world.api.experiences()
                         if each["source"] == "production" and each["canary"] == self.id), None)
        return wait_for("the canary's experience", row, 30)
