"""From a browser: DNS rebinding (Host, Origin), CSRF, CORS, frames, odd methods."""
from honed import ADMIN, NOBODY, PORT, raw, request
from verdict import told


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
