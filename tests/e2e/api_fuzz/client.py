"""A client over one kept connection that holds every answer against what must be true of all.

No status of 500 and above but 503 with Retry-After; whoever is refused is told by a problem document; and where
the OpenAPI document says how an answer looks, it looks so (with the package jsonschema; without, that is left out).
"""
import asyncio
import json
import re

try:
    import jsonschema
except ImportError:
    jsonschema = None


class Wrong(Exception):
    """An invariant does not hold."""


class Document:
    """The OpenAPI document: which answers an operation may give."""

    def __init__(self, document):
        self.operations = []
        self.document = document
        self.validators = {}
        for path, methods in document["paths"].items():
            pattern = re.compile("^" + re.sub(r"\{[^}]*\}", "[^/]+", path) + "$")
            for method, operation in methods.items():
                if isinstance(operation, dict) and "responses" in operation:
                    self.operations.append((path.count("{"), method.upper(), pattern, path, operation))
        self.operations.sort(key=lambda entry: entry[0])  # a fixed part beats a {name}

    def resolve(self, value):
        while "$ref" in value:
            node = self.document
            for part in value["$ref"][2:].split("/"):
                node = node[part]
            value = node
        return value

    def check(self, method, path, status, headers, body):
        path = path.split("?")[0]
        for _, verb, pattern, template, operation in self.operations:
            if verb == method and pattern.match(path):
                break
        else:
            raise Wrong(f"{method} {path} is not in the document")
        responses = operation["responses"]
        if str(status) not in responses and status not in (405, 408, 413, 415, 429, 431, 503, 507):
            raise Wrong(f"{method} {template} gives {status}, which the document does not name")
        response = self.resolve(responses.get(str(status), responses["default"]))
        content = response.get("content", {})
        kind = headers.get("content-type", "").split(";")[0]
        if not body:
            return
        if kind not in content:
            raise Wrong(f"{method} {template} {status} has the type {kind}, the document {list(content)}")
        schema = content[kind].get("schema")
        if schema is None or not kind.endswith("json") or jsonschema is None:
            return
        key = (method, template, status)
        if key not in self.validators:
            self.validators[key] = jsonschema.Draft202012Validator(
                {**schema, "components": self.document["components"]}, format_checker=jsonschema.FormatChecker()
            )
        for text in body.splitlines() if kind == "application/x-ndjson" else [body]:
            error = next(self.validators[key].iter_errors(json.loads(text)), None)
            if error is not None:
                raise Wrong(f"{method} {template} {status} at {error.json_path}: {error.message[:300]}")


class Answer:
    def __init__(self, status, headers, body):
        self.status, self.headers, self.body = status, headers, body

    def json(self):
        return json.loads(self.body)


class Client:
    def __init__(self, url, token, document, counts):
        self.host, self.port = re.fullmatch(r"http://(.*):(\d+)/?", url).groups()
        self.token, self.document, self.counts = token, document, counts
        self.reader = self.writer = None

    async def close(self):
        if self.writer is not None:
            self.writer.close()
            self.reader = self.writer = None

    async def ask(self, method, path, body=None, headers=None, expect=None):
        """One request; waits and repeats where the server says it is too much. `expect`: the statuses allowed."""
        while True:
            answer = await asyncio.wait_for(self.once(method, path, body, headers or {}), 100)
            self.counts[answer.status] = self.counts.get(answer.status, 0) + 1
            what = f"{method} {path} {json.dumps(body) if isinstance(body, (dict, list)) else body!r:.300}"
            if answer.status in (429, 503):
                if not answer.headers.get("retry-after", "").isdigit():
                    raise Wrong(f"{what}: {answer.status} without Retry-After")
                await asyncio.sleep(min(5, int(answer.headers["retry-after"])))
                continue
            if answer.status >= 500:
                raise Wrong(f"{what}: {answer.status} {answer.body[:500]!r}")
            if answer.status >= 400:
                if not answer.headers.get("content-type", "").startswith("application/problem+json"):
                    raise Wrong(f"{what}: {answer.status} is no problem document")
                problem = answer.json()
                if problem["status"] != answer.status or not problem["detail"]:
                    raise Wrong(f"{what}: {problem}")
            self.document.check(method, path, answer.status, answer.headers, answer.body)
            if expect is not None and answer.status not in expect:
                raise Wrong(f"{what}: {answer.status}, not {expect}: {answer.body[:1000]!r}")
            return answer

    async def once(self, method, path, body, headers):
        fresh = self.writer is None
        if fresh:
            self.reader, self.writer = await asyncio.open_connection(self.host, int(self.port), limit=1 << 26)
        content = b"" if body is None else body if isinstance(body, bytes) else json.dumps(body).encode()
        kind = "application/octet-stream" if isinstance(body, bytes) else "application/json"
        lines = [f"{method} {path} HTTP/1.1", f"Host: 127.0.0.1:{self.port}"]
        if self.token:
            lines.append(f"Authorization: Bearer {self.token}")
        if body is not None:
            lines += [f"Content-Type: {headers.pop('Content-Type', kind)}", f"Content-Length: {len(content)}"]
        lines += [f"{name}: {value}" for name, value in headers.items()]
        try:
            self.writer.write("\r\n".join(lines).encode() + b"\r\n\r\n" + content)
            return await self.receive(method)
        except (ConnectionError, asyncio.IncompleteReadError):
            await self.close()
            if fresh:
                raise
            return await self.once(method, path, body, headers)  # an idle connection that was closed

    async def receive(self, method):
        head = (await self.reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
        status = int(head[0].split()[1])
        headers = {}
        for line in head[1:-2]:
            name, value = line.split(": ", 1)
            headers[name.lower()] = value
        body = b""
        if method == "HEAD" or status in (204, 304):
            pass
        elif headers.get("transfer-encoding") == "chunked":
            while size := int(await self.reader.readline(), 16):
                body += await self.reader.readexactly(size)
                await self.reader.readexactly(2)
            await self.reader.readexactly(2)
        else:
            body = await self.reader.readexactly(int(headers["content-length"]))
        if headers.get("connection") == "close":
            await self.close()
        return Answer(status, headers, body)
