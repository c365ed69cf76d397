"""Oversized everything, and numbers and texts that are none."""
from honed import ADMIN, raw, request
from verdict import told


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
    # An answer may be lost when honed ends a connection on which more is being sent; honed must not be.
    for what, attempt in cases.items():
        status = attempt()
        told("oversized", what, status in (400, 401, 404, 413, 414, 431) or (status == 0 and lives()), status)
    told("oversized", "(and honed lives)", lives())


def lives():
    return request("GET", "/healthz", None)[0] == 200
