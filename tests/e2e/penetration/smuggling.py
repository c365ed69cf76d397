"""Requests that two readers would read differently, and bodies that unpack to more than was sent."""
import contextlib
import gzip
import re
import socket

from honed import ADMIN, HOST, PORT, parsed, request
from verdict import told


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
