"""Who gets in: every route and role without a good token, and tokens in odd places."""
import json

from honed import ADMIN, NOBODY, make_token, request
from verdict import told


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
