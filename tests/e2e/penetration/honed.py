"""The honed that is attacked, as checklist.py's arguments name it, and how it is asked: raw, as HTTP, as its API."""
import contextlib
import hashlib
import json
import socket
import sys

URL, TOKEN_FILE, HONE, FOLDER = sys.argv[1:5]
HOST, PORT = URL.removeprefix("http://").rsplit(":", 1)
PORT = int(PORT)
ADMIN = open(TOKEN_FILE).read().strip()
CLANG = {"family": "clang", "major": 19}
NOBODY = "00000000-0000-4000-8000-000000000000"


def raw(data, patience=10.0):
    """(status, headers in lower case, body) of the first answer; status 0 if there was none."""
    with socket.create_connection((HOST, PORT), timeout=patience) as connection:
        got = b""
        with contextlib.suppress(OSError):
            connection.sendall(data)
        with contextlib.suppress(OSError):
            while b"\r\n\r\n" not in got or not whole(got):
                piece = connection.recv(65536)
                if not piece:
                    break
                got += piece
    return parsed(got)


def whole(got):
    head, _, body = got.partition(b"\r\n\r\n")
    for line in head.split(b"\r\n")[1:]:
        name, _, value = line.partition(b":")
        if name.strip().lower() == b"content-length":
            return len(body) >= int(value)
        if name.strip().lower() == b"transfer-encoding":
            return body.endswith(b"0\r\n\r\n")
    return True


def parsed(got):
    head, _, body = got.partition(b"\r\n\r\n")
    lines = head.split(b"\r\n")
    if not lines[0].startswith(b"HTTP/1.1 "):
        return 0, {}, got
    headers = {}
    for line in lines[1:]:
        name, _, value = line.partition(b":")
        headers[name.strip().lower().decode()] = value.strip().decode()
    return int(lines[0].split()[1]), headers, body


def request(method, path, token=ADMIN, headers=(), body=None, kind="application/json",
            host=f"localhost:{PORT}"):
    text = f"{method} {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n"
    if token is not None:
        text += f"Authorization: Bearer {token}\r\n"
    for name, value in headers:
        text += f"{name}: {value}\r\n"
    data = b"" if body is None else body if isinstance(body, bytes) else body.encode()
    if body is not None:
        text += f"Content-Type: {kind}\r\nContent-Length: {len(data)}\r\n"
    return raw(text.encode("latin-1") + b"\r\n" + data)


def api(method, path, document=None, token=ADMIN, headers=()):
    status, _, body = request(method, path, token, headers,
                              None if document is None else json.dumps(document))
    if status >= 400 or status == 0:
        raise SystemExit(f"penetration: {method} {path}: {status} {body[:300]!r}")
    return json.loads(body) if body else None


def make_token(name, role, grants=None, **more):
    wanted = {"name": name, "role": role, **more}
    if grants is not None:
        wanted["grants"] = grants
    return api("POST", "/v1/tokens", wanted)["token"]


def upload(content, token=ADMIN, name=None):
    name = name or hashlib.sha256(content).hexdigest()
    return request("PUT", "/v1/artifacts/" + name, token, (), content, "application/octet-stream")


def spec(name, source):
    return {"name": name, "source": source,
            "build": {"commands": [["make"]], "binaries": ["product"]},
            "benchmark": {"command": ["{build}/product"]}}
