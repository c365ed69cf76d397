"""The coordinator's REST API, as far as the demonstration asks it."""
import json
import time
import urllib.error
import urllib.request

SECONDS = 30


class Refused(Exception):
    """An answer of 400 or more: its status and what it says."""

    def __init__(self, status, text):
        super().__init__(f"{status}: {text}")
        self.status = status


class Api:
    def __init__(self, url, token):
        self.url = url
        self.token = token

    def text(self, method, path, body=None):
        request = urllib.request.Request(self.url + path, method=method)
        request.add_header("Authorization", "Bearer " + self.token)
        data = None
        if body is not None:
            request.add_header("Content-Type", "application/json")
            data = json.dumps(body).encode()
        try:
            with urllib.request.urlopen(request, data, timeout=SECONDS) as reply:
                return reply.read().decode()
        except urllib.error.HTTPError as error:
            raise Refused(error.code, error.read().decode(errors="replace")[:500]) from None

    def get(self, path):
        """Asked again while the coordinator does not answer, for half a minute."""
        until = time.monotonic() + SECONDS
        while True:
            try:
                return json.loads(self.text("GET", path))
            except (urllib.error.URLError, OSError):
                if time.monotonic() > until:
                    raise
                time.sleep(0.5)

    def post(self, path, body=None):
        return json.loads(self.text("POST", path, body or {}))

    def put(self, path, body):
        return json.loads(self.text("PUT", path, body))

    def experiences(self):
        """All rows of the replay buffer."""
        return [json.loads(line) for line in self.text("GET", "/v1/experiences").splitlines() if line]
