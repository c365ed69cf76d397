"""A client of the REST API as our own programs are one: several honeds, one connection a request, the next
honed when one does not answer. Every answer of 500 or more that is not an honest refusal is noted."""
import http.client
import json
import random
import time
import urllib.parse


class Lost(Exception):
    """No whole answer came."""


class Answer:
    def __init__(self, status, headers, body):
        self.status = status
        self.headers = headers
        self.body = body

    @property
    def document(self):
        return json.loads(self.body) if self.body else None


def is_honest_refusal(answer):
    """Whether a server that cannot serve says so as it should: later (503), or no room (507)."""
    return answer.status == 507 or (answer.status == 503 and answer.headers.get("Retry-After"))


class Rest:
    def __init__(self, urls, token, journal=None, timeout=10):
        self.places = [urllib.parse.urlsplit(url) for url in urls]
        self.token = token
        self.journal = journal
        self.timeout = timeout
        self.current = 0

    def call(self, method, path, body=None, headers=None, timeout=None):
        """One try at the honed in use. Raises Lost; every status is an answer."""
        place = self.current
        target = self.places[place]
        connection = http.client.HTTPConnection(
            target.hostname, target.port, timeout=timeout or self.timeout)
        sent = {"Authorization": "Bearer " + self.token, "Connection": "close", **(headers or {})}
        if body is not None and not isinstance(body, (bytes, bytearray)):
            body = json.dumps(body).encode()
            sent.setdefault("Content-Type", "application/json")
        try:
            connection.request(method, path, body=body, headers=sent)
            reply = connection.getresponse()
            answer = Answer(reply.status, reply.headers, reply.read())
        except (OSError, http.client.HTTPException) as error:
            self.leave(place)
            raise Lost(f"{method} {path}: {error!r}") from error
        finally:
            connection.close()
        if answer.status >= 500:
            self.leave(place)
            if self.journal and not is_honest_refusal(answer):
                self.journal.note("odd_answer", method=method, path=path, status=answer.status,
                                  body=answer.body.decode(errors="replace")[:500])
        return answer

    def leave(self, place):
        if self.current == place:
            self.current = (place + 1) % len(self.places)

    def insist(self, method, path, body=None, headers=None, timeout=None, stop=lambda: False):
        """Asks again until an answer says yes or no; None when `stop` said so first. Only for what may
        be sent twice."""
        pause = 0.1
        while not stop():
            try:
                answer = self.call(method, path, body, headers, timeout)
                if answer.status < 500 and answer.status != 429:
                    return answer
            except Lost:
                pass
            time.sleep(pause * random.uniform(0.5, 1.5))
            pause = min(pause * 2, 2)
        return None

    def events(self, path, last_id=None, silence=45):
        """Server-sent events (id, data) of one connection; raises Lost where it is cut."""
        place = self.current
        target = self.places[place]
        connection = http.client.HTTPConnection(target.hostname, target.port, timeout=silence)
        headers = {"Authorization": "Bearer " + self.token, "Accept": "text/event-stream"}
        if last_id:
            headers["Last-Event-ID"] = last_id
        try:
            connection.request("GET", path, headers=headers)
            reply = connection.getresponse()
            if reply.status != 200:
                raise Lost(f"GET {path}: {reply.status}")
            event = {}
            for raw in reply:
                line = raw.decode().rstrip("\r\n")
                if line:
                    name, _, value = line.partition(":")
                    event[name] = value.removeprefix(" ")
                elif event.get("data"):
                    yield event.get("id"), event["data"]
                    event = {}
            raise Lost(f"GET {path}: ended")
        except (OSError, http.client.HTTPException) as error:
            raise Lost(f"GET {path}: {error!r}") from error
        finally:
            self.leave(place)
            connection.close()
