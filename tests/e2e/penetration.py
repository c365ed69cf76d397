"""The attacks of penetration.sh: URL TOKEN-FILE HONE FOLDER [PART]. Standard library only.

One file, since it is one checklist: each attack is a few lines, and whoever reads it wants to see what is missing.
"""

import contextlib
import gzip
import hashlib
import http.server
import io
import json
import os
import re
import socket
import statistics
import subprocess
import sys
import tarfile
import threading
import time

URL, TOKEN_FILE, HONE, FOLDER = sys.argv[1:5]
HOST, PORT = URL.removeprefix("http://").rsplit(":", 1)
PORT = int(PORT)
ADMIN = open(TOKEN_FILE).read().strip()
CLANG = {"family": "clang", "major": 19}
NOBODY = "00000000-0000-4000-8000-000000000000"

done = []


def told(area, what, refused, instead=""):
    done.append(refused)
    print(f"{'refused    ' if refused else 'NOT REFUSED'}  {area:<16} {what}" +
          ("" if refused else f": {instead}"), flush=True)


def raw(data, patience=10.0, finish=False):
    """(status, headers in lower case, body) of the first answer; status 0 if there was none."""
    with socket.create_connection((HOST, PORT), timeout=patience) as connection:
        got = b""
        with contextlib.suppress(OSError):
            connection.sendall(data)
            if finish:
                connection.shutdown(socket.SHUT_WR)
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


# --- who gets in

def authentication():
    routes = json.loads(request("GET", "/openapi.json")[2])["paths"]
    roles = {role: make_token("pen-" + role, role)
             for role in ("viewer", "submitter", "worker", "learner")}
    bad = {"no token": None, "an unknown one": "hone_" + "0" * 64, "a malformed one": "x",
           "a short one": ADMIN[:-1], "another case": ADMIN.upper()}
    let_in, over, checked = [], [], 0
    for path, operations in routes.items():
        where = path.replace("{id}", NOBODY).replace("{attempt}", NOBODY).replace(
            "{sha256}", "0" * 64).replace("{version}", "1")
        while "{" in where:
            where = where[:where.index("{")] + "nothing" + where[where.index("}") + 1:]
        for method, operation in operations.items():
            allowed = operation["x-roles"]
            if allowed == ["public"]:
                continue
            takes = operation.get("requestBody", {}).get("content", {})
            octets = "application/octet-stream" in takes
            body = "x" if octets else "[]" if takes else None
            kind = "application/octet-stream" if octets else "application/json"
            for what, token in bad.items():
                checked += 1
                status = request(method.upper(), where, token, (), body, kind)[0]
                if status != 401:
                    let_in.append(f"{method} {path} with {what}: {status}")
            for place in (f"{where}?token={ADMIN}", f"{where}?access_token={ADMIN}"):
                checked += 1
                status = request(method.upper(), place, None, (), body, kind)[0]
                if status != 401:
                    let_in.append(f"{method} {path} with a token in the URL: {status}")
            for role, token in roles.items():
                checked += 1
                status = request(method.upper(), where, token, (), body, kind)[0]
                if status == 401 or (status != 403 and role not in allowed):
                    over.append(f"{method} {path} as {role}: {status}")
    told("authentication", f"every route without a good token ({checked} requests)", not let_in,
         let_in[:5])
    told("authentication", "every route for a role that may not", not over, over[:5])
    for what, line in {"Basic": f"Basic {ADMIN}", "no scheme": ADMIN, "two words": f"Bearer {ADMIN} x",
                       "a control character": f"Bearer {ADMIN}\x0b"}.items():
        status = request("GET", "/v1/jobs", None, [("Authorization", line)])[0]
        told("authentication", f"Authorization with {what}", status in (400, 401), status)
    status = request("GET", "/v1/jobs", ADMIN, [("Authorization", "Bearer x")])[0]
    told("authentication", "two Authorization headers", status == 400, status)
    for what, header in {"a cookie": ("Cookie", f"token={ADMIN}"),
                         "X-Api-Key": ("X-Api-Key", ADMIN)}.items():
        status = request("GET", "/v1/jobs", None, [header])[0]
        told("authentication", f"the token in {what}", status == 401, status)


def lifetime():
    made = api("POST", "/v1/tokens", {"name": "pen-revoked", "role": "admin"})
    api("DELETE", "/v1/tokens/" + made["id"])
    told("lifetime", "a revoked token", request("GET", "/v1/jobs", made["token"])[0] == 401)
    short = make_token("pen-short", "admin", expires_in_seconds=1)
    until = time.monotonic() + 30
    status = 200
    while status != 401 and time.monotonic() < until:
        status = request("GET", "/v1/jobs", short)[0]
        time.sleep(0.1)
    told("lifetime", "an expired token", status == 401, status)
    made = api("POST", "/v1/tokens", {"name": "pen-rotated", "role": "admin"})
    api("POST", f"/v1/tokens/{made['id']}/rotate", {})
    told("lifetime", "the secret before a rotation", request("GET", "/v1/jobs", made["token"])[0] == 401)


# --- from a browser

def browser():
    for host in ("rebound.example", f"rebound.example:{PORT}", "127.0.0.1.rebound.example",
                 "localhost.", "localhost@rebound.example", "[::1", "127.0.0.1:70 70", "0x7f.1", ""):
        status = request("GET", "/healthz", None, host=host)[0]
        told("rebinding", f"Host {host!r}", status == 400, status)
    status, _, _ = raw(f"GET /healthz HTTP/1.1\r\nConnection: close\r\n\r\n".encode())
    told("rebinding", "no Host", status == 400, status)
    status, _, _ = raw(f"GET http://rebound.example/healthz HTTP/1.1\r\nHost: localhost\r\n"
                       f"Connection: close\r\n\r\n".encode())
    told("rebinding", "another host in the request line", status == 400, status)
    for origin in ("http://rebound.example", "null", f"http://rebound.example:{PORT}",
                   "https://localhost.rebound.example"):
        status = request("GET", "/v1/jobs", ADMIN, [("Origin", origin)])[0]
        told("rebinding", f"a page of {origin}", status == 403, status)
    status = request("GET", f"/v1/sessions/{NOBODY}/socket", ADMIN,
                     [("Origin", "http://rebound.example"), ("Upgrade", "websocket"),
                      ("Sec-WebSocket-Version", "13"), ("Sec-WebSocket-Key", "AAAAAAAAAAAAAAAAAAAAAA==")])[0]
    told("rebinding", "a WebSocket from a page elsewhere", status == 403, status)
    own = request("GET", "/v1/jobs", ADMIN, [("Origin", f"http://localhost:{PORT}")])[0]
    told("rebinding", "(our own page gets in)", own == 200, own)
    for kind in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x",
                 "text/plain; application/json", ""):
        status = request("POST", "/v1/jobs", ADMIN, (), '{"jobs":[]}', kind)[0]
        told("CSRF", f"a form's Content-Type {kind!r}", status == 415, status)
    status, headers, _ = request("OPTIONS", "/v1/jobs", None,
                                 [("Origin", "http://rebound.example"),
                                  ("Access-Control-Request-Method", "POST"),
                                  ("Access-Control-Request-Headers", "authorization")])
    told("CORS", "a preflight", status >= 400 and
         not any(name.startswith("access-control") for name in headers), (status, headers))
    _, headers, _ = request("GET", "/healthz", None, [("Origin", f"http://localhost:{PORT}")])
    told("CORS", "an answer that others may read",
         not any(name.startswith("access-control") for name in headers), headers)
    for path in ("/", "/v1/jobs", "/nothing"):
        _, headers, _ = request("GET", path)
        policy = headers.get("content-security-policy", "")
        told("page", f"{path} in a frame, sniffed or with scripts of others",
             "default-src 'none'" in policy and "frame-ancestors 'none'" in policy
             and headers.get("x-content-type-options") == "nosniff"
             and "unsafe" not in policy, headers)
    for method in ("TRACE", "CONNECT", "PROPFIND"):
        status = request(method, "/v1/jobs")[0]
        told("page", method, status in (400, 405), status)


# --- paths and archives

def traversal():
    secret = ADMIN.encode()
    for path in ("/../etc/passwd", "/v1/../../etc/passwd", "/assets/../../admin.token",
                 "/assets/%2e%2e%2f%2e%2e%2fadmin.token", "/assets/..%2fadmin.token",
                 "/assets/%2e%2e/admin.token", "/assets/....//admin.token", "/assets/..%5cadmin.token",
                 "/assets/%c0%ae%c0%ae/admin.token", "/assets/%00", "/assets/a%00.js", "//etc/passwd",
                 "/ui/%2e%2e/%2e%2e/admin.token", "/v1/artifacts/../admin.token",
                 "/v1/artifacts/..%2f..%2fadmin.token", "/v1/artifacts/%2fetc%2fpasswd",
                 "/v1/artifacts/" + "A" * 64, "/v1/artifacts/" + "0" * 63 + "/",
                 "/v1/targets/..%2f..", "/v1/policies/%2e%2e", "\\..\\admin.token"):
        status, _, body = request("GET", path)
        told("traversal", path, status in (400, 404) and b"root:" not in body and secret not in body,
             (status, body[:80]))
    for name in ("..%2f..%2fevil", "%2ftmp%2fevil", "0" * 63, "0" * 65, "g" * 64):
        status, _, _ = request("PUT", "/v1/artifacts/" + name, ADMIN, (), b"x",
                               "application/octet-stream")
        told("traversal", f"an upload to {name[:24]}", status in (400, 404), status)
    status, _, _ = upload(b"other bytes", name="0" * 64)
    told("traversal", "an upload under another's hash", status == 400, status)


def archive(members, packed=True):
    plain = io.BytesIO()
    with tarfile.open(fileobj=plain, mode="w", format=tarfile.PAX_FORMAT) as tar:
        for info, content in members:
            tar.addfile(info, io.BytesIO(content) if content is not None else None)
    return gzip.compress(plain.getvalue()) if packed else plain.getvalue()


def member(name, kind=tarfile.REGTYPE, content=b"x", target=""):
    info = tarfile.TarInfo(name)
    info.type, info.linkname = kind, target
    info.size = len(content) if kind == tarfile.REGTYPE else 0
    return info, content if kind == tarfile.REGTYPE else None


def bomb():
    """Some kilobytes that claim to be a file of ten gibibytes, as many zeros as the limit would take."""
    info = tarfile.TarInfo("bomb")
    info.size = 10 << 30
    return gzip.compress(info.tobuf(tarfile.GNU_FORMAT) + b"\0" * (32 << 20))


def archives():
    outside = os.path.join(FOLDER, "outside")
    cases = {
        "dots": archive([member("../../../../../../" + outside)]),
        "absolute": archive([member(outside)]),
        "link-out": archive([member("link", tarfile.SYMTYPE, target="/"), member("link" + outside)]),
        "hard-link": archive([member("link", tarfile.LNKTYPE, target="/etc/passwd")]),
        "device": archive([member("device", tarfile.CHRTYPE)]),
        "bomb": bomb(),
        "many": archive([member("d", tarfile.DIRTYPE) for _ in range(200_001)]),
        "noise": b"no archive at all",
    }
    jobs = {}
    for name, content in cases.items():
        status, _, body = upload(content)
        if status not in (200, 201):
            told("archive", name, True)
            continue
        target = "pen-" + name
        api("PUT", "/v1/targets/" + target,
            spec(target, {"artifact": hashlib.sha256(content).hexdigest()}))
        answer = api("POST", "/v1/jobs", {"jobs": [{"target": target, "max_attempts": 1,
                                                    "rules": [{"source": "*", "pipeline": "default<O3>", "knobs": {"unroll-count": "2"}}]}]},
                     headers=[("Idempotency-Key", target)])
        jobs[name] = answer["jobs"][0]["id"]
    for name, job in jobs.items():
        until = time.monotonic() + 120
        view = {}
        while time.monotonic() < until:
            view = api("GET", "/v1/jobs/" + job)
            if view["state"] in ("done", "dead", "cancelled"):
                break
            time.sleep(0.3)
        result = view.get("result") or {}
        refused = result.get("outcome", view.get("outcome")) == "fetch_failed" and not os.path.exists(outside)
        told("archive", f"{name}: {(view.get('reason') or '')[:70]}", refused,
             (view.get("state"), view.get("outcome"), view.get("reason")))


# --- the protocol

def smuggling():
    head = f"POST /v1/jobs HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {ADMIN}\r\n" \
           "Content-Type: application/json\r\n"
    inner = f"GET /v1/tokens HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {ADMIN}\r\n\r\n"
    cases = {
        "Content-Length and Transfer-Encoding": head + "Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        "the other way round": head + "Transfer-Encoding: chunked\r\nContent-Length: 4\r\n\r\n0\r\n\r\n",
        "two lengths": head + "Content-Length: 2\r\nContent-Length: 3\r\n\r\n[]x",
        "the same length twice": head + "Content-Length: 2\r\nContent-Length: 2\r\n\r\n[]",
        "a list of lengths": head + "Content-Length: 2, 2\r\n\r\n[]",
        "a signed length": head + "Content-Length: +2\r\n\r\n[]",
        "a negative length": head + "Content-Length: -1\r\n\r\n[]",
        "a hexadecimal length": head + "Content-Length: 0x2\r\n\r\n[]",
        "a length of 2^64": head + "Content-Length: 18446744073709551616\r\n\r\n[]",
        "xchunked": head + "Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n",
        "chunked twice": head + "Transfer-Encoding: chunked, chunked\r\n\r\n0\r\n\r\n",
        "chunked, identity": head + "Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n",
        "a space before the colon": head + "Content-Length : 2\r\n\r\n[]",
        "a folded header": head + "X-A: b\r\n Content-Length: 2\r\n\r\n[]",
        "a bare LF": "POST /v1/jobs HTTP/1.1\nHost: localhost\n\n",
        "a bare CR in a header": head + "X-A: b\rContent-Length: 2\r\n\r\n",
        "a NUL in a header": head + "X-A: b\0c\r\n\r\n",
        "a chunk of 2^64": head + "Transfer-Encoding: chunked\r\n\r\nffffffffffffffff1\r\n[]\r\n0\r\n\r\n",
        "a chunk size of no digits": head + "Transfer-Encoding: chunked\r\n\r\n-2\r\n[]\r\n0\r\n\r\n",
        "two Hosts": "GET /healthz HTTP/1.1\r\nHost: localhost\r\nHost: rebound.example\r\n\r\n",
        "two Content-Types": head + "Content-Type: text/plain\r\nContent-Length: 2\r\n\r\n[]",
        "HTTP/0.9": "GET /v1/jobs\r\n\r\n",
        "HTTP/2 preface": "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        "HTTP/1.2": "GET /healthz HTTP/1.2\r\nHost: localhost\r\n\r\n",
        "a space in the target": "GET /v1/jobs /x HTTP/1.1\r\nHost: localhost\r\n\r\n",
    }
    for what, text in cases.items():
        # What follows must not be taken for a request of its own: in another reader's eyes it is this
        # one's body.
        with socket.create_connection((HOST, PORT), timeout=10) as connection:
            got = b""
            with contextlib.suppress(OSError):
                connection.sendall(text.encode("latin-1") + inner.encode())
                connection.shutdown(socket.SHUT_WR)
                while piece := connection.recv(65536):
                    got += piece
        status = parsed(got)[0]
        taken = re.findall(rb"HTTP/1\.1 (2\d\d) ", got)
        told("smuggling", what, (status == 0 or 400 <= status < 500) and not taken and b'"role"' not in got,
             (status, got[:60], taken))
    for what, headers in {"gzip": "gzip", "identity, gzip": "identity, gzip", "br": "br"}.items():
        body = gzip.compress(b"[" + b" " * (64 << 20) + b"]")
        status = request("POST", "/v1/jobs", ADMIN, [("Content-Encoding", headers)], body)[0]
        told("zip bomb", f"a body in Content-Encoding {what}", status == 415, status)
    status = request("PUT", "/v1/artifacts/" + "0" * 64, ADMIN, [("Content-Encoding", "gzip")],
                     gzip.compress(b"x"), "application/octet-stream")[0]
    told("zip bomb", "an artifact in Content-Encoding gzip", status == 415, status)


def oversized():
    def post(body, path="/v1/jobs"):
        return request("POST", path, ADMIN, [("Idempotency-Key", "pen-size")], body)[0]

    deep = "[" * 100_000 + "]" * 100_000
    cases = {
        "a URL of 1 MiB": lambda: request("GET", "/v1/jobs?state=" + "a" * (1 << 20))[0],
        "a header of 1 MiB": lambda: request("GET", "/v1/jobs", ADMIN, [("X-A", "a" * (1 << 20))])[0],
        "10,000 headers": lambda: request("GET", "/v1/jobs", ADMIN, [(f"X-{i}", "a") for i in range(10_000)])[0],
        "a token of 8 KiB": lambda: request("GET", "/v1/jobs", "a" * 8192)[0],
        "a key of 1 KiB": lambda: request("POST", "/v1/jobs", ADMIN, [("Idempotency-Key", "k" * 1024)],
                                          '{"jobs":[{"target":"x","rules":[{"source":"*"}]}]}')[0],
        "a body past its limit": lambda: post("[" + " " * (2 << 20) + "]"),
        "a length of 2^62": lambda: raw(
            f"POST /v1/jobs HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {ADMIN}\r\n"
            f"Content-Type: application/json\r\nContent-Length: {1 << 62}\r\n\r\n".encode())[0],
        "an artifact of 2^62 bytes": lambda: raw(
            f"PUT /v1/artifacts/{'0' * 64} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {ADMIN}\r\n"
            f"Content-Type: application/octet-stream\r\nContent-Length: {1 << 62}\r\n\r\n".encode())[0],
        "JSON 100,000 deep": lambda: post(deep),
        "an object 10,000 deep": lambda: post('{"jobs":' * 10_000 + "1" + "}" * 10_000),
        "a number of 100,000 digits": lambda: post('{"jobs":[{"target":"x","priority":' + "9" * 100_000 + "}]}"),
        "1e999999": lambda: post('{"jobs":[{"target":"x","priority":1e999999}]}'),
        "a number past 2^64": lambda: post('{"jobs":[{"target":"x","priority":18446744073709551616}]}'),
        "NaN": lambda: post('{"jobs":[{"target":"x","priority":NaN}]}'),
        "a key twice": lambda: post('{"jobs":[],"jobs":[]}'),
        "a list of 100,000 jobs": lambda: post('{"jobs":[' + ",".join(["{}"] * 100_000) + "]}"),
        "a text of 1 MB": lambda: post('{"jobs":[{"target":"' + "a" * 1_000_000 + '"}]}'),
        "a NUL in a name": lambda: post('{"jobs":[{"target":"a\\u0000b","rules":[{"source":"*"}]}]}'),
        "no UTF-8": lambda: post(b'{"jobs":[{"target":"\xff\xfe"}]}'),
        "half a surrogate": lambda: post('{"jobs":[{"target":"\\ud800"}]}'),
        "a page of a billion": lambda: request("GET", "/v1/jobs?limit=1000000000")[0],
        "a page of 2^64": lambda: request("GET", "/v1/jobs?limit=18446744073709551616")[0],
        "a version of 2^63": lambda: request("GET", "/v1/policies/x?version=9223372036854775808")[0],
        "a cursor of SQL": lambda: request("GET", "/v1/jobs?cursor=1%27%20OR%201=1--")[0],
        "an event cursor of SQL": lambda: request("GET", "/v1/events?after=1-1%27;--")[0],
        "a parameter twice": lambda: request("GET", "/v1/jobs?limit=1&limit=2")[0],
        "an unknown parameter": lambda: request("GET", "/v1/jobs?debug=1")[0],
    }
    for what, attempt in cases.items():
        status = attempt()
        told("oversized", what, status in (400, 401, 404, 413, 414, 431, 0), status)
    told("oversized", "(and honed lives)", request("GET", "/healthz", None)[0] == 200)


def timing():
    """No decision by times: a look-up is by the hash of the whole token, so that a better guess is no nearer."""
    guesses = {shared: "hone_" + ADMIN[5:5 + shared] + ("0" if ADMIN[5 + shared] != "0" else "1") +
               "0" * (63 - shared) for shared in (0, 16, 32, 48, 62)}
    times = {shared: [] for shared in guesses}
    statuses = set()
    for _ in range(60):
        for shared, guess in guesses.items():
            begun = time.perf_counter()
            statuses.add(request("GET", "/v1/whoami", guess)[0])
            times[shared].append(time.perf_counter() - begun)
    medians = ", ".join(f"{shared} digits {statistics.median(t) * 1e3:.2f} ms" for shared, t in times.items())
    hashes = [hashlib.sha256(g.encode()).hexdigest() for g in guesses.values()]
    good = hashlib.sha256(ADMIN.encode()).hexdigest()
    near = max(len(os.path.commonprefix([h, good])) for h in hashes)
    told("timing", f"guesses that share digits; what is compared shares {near} of 64 (median times: {medians})",
         statuses == {401} and near < 16, statuses)


# --- other people's things

def others():
    content = b"the source of a product of others"
    name = hashlib.sha256(content).hexdigest()
    upload(content)
    api("PUT", "/v1/targets/pen-theirs", spec("pen-theirs", {"artifact": name}))
    api("PUT", "/v1/targets/pen-ours", spec("pen-ours", {"git": {"url": "/srv/x", "commit": "a" * 40}}))
    job = api("POST", "/v1/jobs", {"jobs": [{"target": "pen-theirs", "rules": [{"source": "*", "pipeline": "default<O3>", "knobs": {"unroll-count": "2"}}]}]},
              headers=[("Idempotency-Key", "pen-theirs")])["jobs"][0]["id"]
    api("POST", f"/v1/jobs/{job}/cancel", {})
    stranger = make_token("pen-stranger", "submitter", [{"target": "pen-ours"}])
    for what, answer in {
            "their target": request("GET", "/v1/targets/pen-theirs", stranger),
            "their hone.yaml": request("PUT", "/v1/targets/pen-theirs", stranger, (), json.dumps(spec("pen-theirs", {"artifact": name}))),
            "their job": request("GET", f"/v1/jobs/{job}", stranger),
            "cancelling it": request("POST", f"/v1/jobs/{job}/cancel", stranger, (), "{}"),
            "its events": request("GET", f"/v1/jobs/{job}/events", stranger),
            "its view": request("GET", f"/v1/views/jobs/{job}", stranger),
            "their artifact": request("GET", f"/v1/artifacts/{name}", stranger),
            "whether it is there": request("HEAD", f"/v1/artifacts/{name}", stranger),
            "their policy": request("GET", "/v1/policies/pen-theirs/versions", stranger)}.items():
        told("others", what, answer[0] == 404, answer[:1])
    told("others", "their artifact as a source of ours",
         request("PUT", "/v1/targets/pen-ours", stranger, (), json.dumps(spec("pen-ours", {"artifact": name})))[0] == 400)
    told("others", "their artifact by its hash without its bytes", upload(b"x", stranger, name)[0] == 400)
    told("others", "their artifact after that", request("GET", f"/v1/artifacts/{name}", stranger)[0] == 404)
    for path in ("/v1/jobs", "/v1/targets", "/v1/campaigns", "/v1/views/overview", "/v1/views/fleet",
                 "/v1/views/policies", "/v1/experiences", "/v1/transitions", "/v1/workers"):
        status, _, body = request("GET", path, stranger)
        told("others", f"anything of theirs in {path}", status == 200 and b"pen-theirs" not in body
             and job.encode() not in body, status)
    read_only = make_token("pen-reader", "submitter", [{"target": "pen-ours", "rights": ["read"]}])
    for what, answer in {
            "submitting with a grant to read": request("POST", "/v1/jobs", read_only, [("Idempotency-Key", "r")],
                                                       '{"jobs":[{"target":"pen-ours","rules":[{"source":"*","pipeline":"default<O3>","knobs":{"unroll-count":"2"}}]}]}'),
            "defining with a grant to read": request("PUT", "/v1/targets/pen-ours", read_only, (),
                                                     json.dumps(spec("pen-ours", {"git": {"url": "/srv/y", "commit": "b" * 40}}))),
            "promoting without a grant for it": request("POST", "/v1/policies/pen-ours/versions/1/promote", stranger, (), "{}"),
            "tokens of one's own making": request("POST", "/v1/tokens", stranger, (), '{"name":"pen-more","role":"admin"}'),
            "the audit log": request("GET", "/v1/audit", stranger)}.items():
        told("others", what, answer[0] == 403, answer[0])


# --- policies

def run(*arguments):
    return subprocess.run([HONE, *arguments], capture_output=True, text=True, timeout=60)


def policies():
    folder = os.path.join(FOLDER, "policies")
    os.mkdir(folder)
    path = lambda name: os.path.join(folder, name)  # noqa: E731
    target = "pen-policy"
    api("PUT", f"/v1/targets/{target}", spec(target, {"git": {"url": "/srv/x", "commit": "a" * 40}}))

    def signed(sequence, key):
        name = path(f"{sequence}.json")
        json.dump({"format": 1, "target": target, "sequence": sequence, "compiler": CLANG, "rules": [
            {"source": "*", "pipeline": "default<O3>", "knobs": {"unroll-count": str(sequence % 8 + 2)}}]},
            open(name, "w"))
        assert run("policy", "sign", name, "--key", key).returncode == 0
        return name

    def served(name):
        """(document, signature) as honed stores them."""
        envelope = json.load(open(name))
        return json.dumps(envelope["policy"], sort_keys=True, separators=(",", ":")), envelope["signature"]

    for key in ("old", "new", "foreign"):
        assert run("policy", "keygen", path(key)).returncode == 0
    assert run("policy", "key", "add", "pen-old", "--public-key", path("old.pub"), "--target", target).returncode == 0
    assert run("policy", "require-signatures", target).returncode == 0

    api("POST", f"/v1/policies/{target}", {"document": {"format": 1, "target": target, "sequence": 1, "compiler": CLANG, "rules": []}})
    told("policy", "promoting an unsigned one", run("policy", "promote", target, "1").returncode != 0)
    told("policy", "promoting one of a foreign key",
         run("policy", "push", target, signed(10, path("foreign")), "--promote").returncode != 0)
    assert run("policy", "push", target, signed(20, path("old")), "--promote").returncode == 0
    index, pinned = path("index"), ["--public-key", path("old.pub"), "--public-key", path("new.pub")]
    pull = lambda *more: run("policy", "pull", target, "-o", index, *pinned, *more)  # noqa: E731
    assert pull().returncode == 0
    # The next key beside the old one, for a while.
    assert run("policy", "key", "add", "pen-new", "--public-key", path("new.pub"), "--target", target).returncode == 0
    assert run("policy", "push", target, signed(30, path("new")), "--promote").returncode == 0
    assert pull().returncode == 0
    kept = open(index, "rb").read()
    assert run("policy", "key", "retire", "pen-old").returncode == 0
    told("policy", "promoting what a retired key signed",
         run("policy", "push", target, signed(40, path("old")), "--promote").returncode != 0)
    told("policy", "publishing an old sequence again",
         run("policy", "push", target, path("20.json")).returncode != 0)
    told("policy", "promoting an older version", run("policy", "promote", target, "3").returncode != 0)
    told("policy", "rolling back where a signature is asked for",
         run("policy", "rollback", target, "4").returncode != 0)
    status = request("PUT", f"/v1/policies/{target}/versions/1/signature", ADMIN, (),
                     json.dumps({"signature": served(path("10.json"))[1]}))[0]
    told("policy", "another document's signature", status == 403, status)

    # Whoever sits between a build and honed and plays what was good once, or something else.
    def plays(document, signature):
        class Answer(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                self.send_response(200)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(document)))
                if signature:
                    self.send_header("Hone-Policy-Signature", signature)
                self.end_headers()
                self.wfile.write(document.encode())

            def log_message(self, *_):
                pass

        server = http.server.HTTPServer(("127.0.0.1", 0), Answer)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        answer = run("--url", f"http://127.0.0.1:{server.server_port}", "policy", "pull", target,
                     "-o", index, *pinned)
        server.shutdown()
        return answer

    old, signature = served(path("20.json"))
    foreign, foreign_signature = served(path("10.json"))
    higher = json.loads(foreign) | {"sequence": 99}
    for what, document, sign in (("replay of an old policy, signature and all", old, signature),
                                 ("an old one with a higher number", old.replace('"sequence":20', '"sequence":99'), signature),
                                 ("one of a key that is not pinned", json.dumps(higher), foreign_signature),
                                 ("one without a signature", old, ""),
                                 ("another document", '{"format":1}', signature)):
        answer = plays(document, sign)
        told("replay", what, answer.returncode not in (0,) and open(index, "rb").read() == kept,
             (answer.returncode, answer.stderr[:200]))


PARTS = (authentication, lifetime, browser, traversal, smuggling, oversized, timing, others, policies,
         archives)
for part in PARTS:
    if part.__name__ in (sys.argv[5:] or [part.__name__]):
        part()
if not done:
    sys.exit(f"penetration: no such part; there are {', '.join(part.__name__ for part in PARTS)}")
print(f"penetration: {sum(done)} of {len(done)} refused")
sys.exit(0 if all(done) else 1)
