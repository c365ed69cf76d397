"""What the server should hold, as all roles share it."""
import uuid

from client import Client, Wrong

LEGAL = {
    None: {"queued"},
    "queued": {"leased", "cancelled"},
    "leased": {"queued", "done", "dead", "cancelled"},
}
END = {"done", "dead", "cancelled"}


class World:
    def __init__(self, url, document, counts):
        self.url, self.document, self.counts = url, document, counts
        self.until = 0.0
        self.tag = uuid.uuid4().hex[:8]  # of every name, so that a server may be used again
        self.targets = {}  # name -> what was put last
        self.jobs = {}  # id -> the last state seen
        self.campaigns = set()
        self.results = {}  # attempt -> its job and outcome, as counted
        self.policies = {}  # target -> versions

    def client(self, token):
        return Client(self.url, token, self.document, self.counts)

    def see(self, job, state):
        """A state that an answer tells. Between two looks there may have been others."""
        before = self.jobs.get(job)
        if before in END and state != before:
            raise Wrong(f"job {job} was {before} and is {state}")
        self.jobs[job] = state


def holds(sent, got, where=""):
    """Everything that was sent is in what was got."""
    if isinstance(sent, dict):
        for key, value in sent.items():
            if key not in got:
                raise Wrong(f"{where}/{key} was put and is not got")
            holds(value, got[key], f"{where}/{key}")
    elif sent != got:
        raise Wrong(f"{where} was put as {sent!r} and is got as {got!r}")
