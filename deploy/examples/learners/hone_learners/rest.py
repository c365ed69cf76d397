"""REST as honed speaks it, with the standard library alone."""
import json
import os
import pathlib
import ssl
import time
import urllib.error
import urllib.request


class RestError(Exception):
    """What honed answered instead: its problem document, in one line. `status` is 0 where it did not answer."""

    def __init__(self, message, status=0):
        super().__init__(message)
        self.status = status


class Rest:
    """Requests to honed, or to several over one database ("A,B"): the next one when one does not answer.

    URL and token come from HONE_URL and HONE_TOKEN_FILE unless given; whom to trust with https:// from
    HONE_CA_FILE, else from the system.
    """

    def __init__(self, url=None, token=None, retries=5):
        given = url or os.environ.get("HONE_URL", "http://127.0.0.1:7077")
        self.urls = [one.strip().rstrip("/") for one in given.split(",")]
        if token is None:
            token = pathlib.Path(os.environ["HONE_TOKEN_FILE"]).read_text().strip()
        self.token = token
        self.retries = retries
        self.tls = ssl.create_default_context(cafile=os.environ.get("HONE_CA_FILE") or None)

    @property
    def url(self):
        """The one in use."""
        return self.urls[0]

    def leave(self, url):
        if self.urls[0] == url:
            self.urls.append(self.urls.pop(0))

    def open(self, method, path, body=None, headers=None, timeout=60):
        """The response, to be read. A GET, or a POST with an Idempotency-Key, is repeated when honed is away."""
        headers = {"Authorization": f"Bearer {self.token}", **(headers or {})}
        data = None
        if body is not None:
            data = json.dumps(body).encode()
            headers["Content-Type"] = "application/json"
        repeatable = method == "GET" or "Idempotency-Key" in headers
        for attempt in range(self.retries + 1):
            url = self.url
            request = urllib.request.Request(url + path, data=data, headers=headers, method=method)
            try:
                return urllib.request.urlopen(request, timeout=timeout, context=self.tls)
            except urllib.error.HTTPError as error:
                if error.code == 503:
                    self.leave(url)
                if error.code != 503 or not repeatable or attempt == self.retries:
                    text = error.read().decode(errors="replace")
                    raise RestError(f"{method} {path}: {error.code} {text}", error.code) from None
            except urllib.error.URLError as error:
                self.leave(url)
                if not repeatable or attempt == self.retries:
                    raise RestError(f"{method} {path}: {error.reason}") from None
            time.sleep(min(5.0, 0.1 * 2**attempt))

    def ask(self, method, path, body=None, headers=None):
        """The JSON answer, None if there is none."""
        with self.open(method, path, body, headers) as response:
            text = response.read()
        return json.loads(text) if text else None

    def lines(self, path, after=""):
        """The documents of a stream (/v1/experiences, /v1/transitions) behind a cursor, to its end.

        Each has its cursor. A connection that is lost is taken up again behind the last line.
        """
        failures = 0
        while True:
            try:
                query = f"?after={after}" if after else ""
                with self.open("GET", path + query) as response:
                    for line in response:
                        if not line.endswith(b"\n"):
                            raise ConnectionError("the stream was cut within a line")
                        document = json.loads(line)
                        yield document
                        after = document["cursor"]
                        failures = 0
                return
            except (ConnectionError, TimeoutError, OSError) as error:
                self.leave(self.url)
                failures += 1
                if failures > self.retries:
                    raise RestError(f"GET {path}: {error}") from None
                time.sleep(min(5.0, 0.1 * 2**failures))
