"""Tokens whose time is over: revoked, expired, rotated."""
import time

from honed import api, make_token, request
from verdict import told


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
