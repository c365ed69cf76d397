"""Things for schemathesis to find: prepare.py URL TOKEN_FILE FOLDER

Takes what sequences.py left behind, opens a session, and writes into the folder tokens (admin.token, viewer.token),
the document in its strict form (openapi.json) and configurations for schemathesis (known.toml, none.toml).
"""
import asyncio
import hashlib
import json
import os
import sys

from client import Client, Document

# Answers that come before or instead of an operation, so that only `default` speaks of them.
GENERAL = ("405", "408", "413", "415", "429", "431", "503", "507")
# What is wrong may be too large, too: 413. 503 tells HAProxy that a canary may have no traffic; gc is an artifact's name to
# the router, if a wrong one; what a worker says of itself is a message between our own programs, where what honed itself
# knows is passed over.
CHECKS = """[checks]
not_a_server_error.expected-statuses = ["2xx", "3xx", "4xx", "503"]
negative_data_rejection.expected-statuses = ["400", "401", "403", "404", "405", "406", "409", "413", "415", "422", "428", "429", "5xx"]
[[operations]]
include-path = "/v1/artifacts/gc"
[operations.checks]
unsupported_method.enabled = false
allow_header_conformance.enabled = false
[[operations]]
include-path = "/v1/workers/{name}"
include-method = "PUT"
[operations.checks]
negative_data_rejection.enabled = false
"""
PROGRAM = b"define i32 @sum(i32 %a) {\n  %b = add i32 %a, 0\n  ret i32 %b\n}\n"


def or_null(document, schema):
    """A body's schema, where what need not be there may be null: as info.description says of all bodies."""
    while "$ref" in schema:
        schema = document["components"]["schemas"][schema["$ref"].rsplit("/", 1)[1]]
    made = dict(schema)
    for key in ("anyOf", "oneOf", "allOf"):
        if key in schema:
            made[key] = [or_null(document, part) for part in schema[key]]
    if isinstance(schema.get("items"), dict):
        made["items"] = or_null(document, schema["items"])
    if "properties" in schema:
        made["properties"] = {
            name: or_null(document, value)
            if name in schema.get("required", [])
            else {"anyOf": [or_null(document, value), {"type": "null"}]}
            for name, value in schema["properties"].items()
        }
    return made


def strict(document):
    """Every status of an operation named: `default` stands for the general ones only."""
    for methods in document["paths"].values():
        for operation in methods.values():
            for content in operation.get("requestBody", {}).get("content", {}).values() if isinstance(operation, dict) else ():
                content["schema"] = or_null(document, content["schema"])
    for methods in document["paths"].values():
        for operation in methods.values():
            if isinstance(operation, dict) and "default" in operation.get("responses", {}):
                general = operation["responses"].pop("default")
                for status in GENERAL:
                    operation["responses"].setdefault(status, general)
    return document


async def prepare(url, token_file, folder):
    token = open(token_file, encoding="utf-8").read().strip()
    bare = Client(url, token, None, {})
    text = (await bare.once("GET", "/openapi.json", None, {})).body
    await bare.close()
    admin = Client(url, token, Document(json.loads(text)), {})

    async def first(path, key):
        answer = await admin.ask("GET", path, expect={200})
        return answer.json()["items"][0][key]

    for role in ("admin", "viewer"):
        made = (await admin.ask("POST", "/v1/tokens", {"name": f"fuzz-{role}", "role": role}, expect={201})).json()
        with open(os.path.join(folder, f"{role}.token"), "w", encoding="utf-8") as file:
            file.write(made["token"])
        if role == "admin":
            admin.token = made["token"]  # sessions are of the token that opened them
    artifact = hashlib.sha256(PROGRAM).hexdigest()
    await admin.ask("PUT", f"/v1/artifacts/{artifact}", PROGRAM, expect={200, 201})
    opened = await admin.ask("POST", "/v1/sessions", {"program": artifact}, expect={201})
    session = opened.json()["session"]
    job = await first("/v1/jobs?state=done&limit=1", "id")
    candidates = [
        (await admin.ask("GET", f"/v1/campaigns/{c['id']}/candidates", expect={200})).json()["items"]
        for c in (await admin.ask("GET", "/v1/campaigns?limit=20", expect={200})).json()["items"]
    ]
    campaign = await first("/v1/campaigns?limit=1", "id")
    target = (await admin.ask("GET", f"/v1/jobs/{job}", expect={200})).json()["target"]
    known = {
        "/v1/artifacts/{sha256}": {"sha256": artifact},
        "/v1/campaigns/{id}": {"id": campaign},
        "/v1/campaigns/{id}/candidate-sets": {"id": campaign},
        "/v1/campaigns/{id}/candidates": {"id": campaign},
        "/v1/campaigns/{id}/finalists": {"id": campaign},
        "/v1/jobs/{id}": {"id": job},
        "/v1/policies/{target}": {"target": target},
        "/v1/policies/{target}/versions": {"target": target},
        "/v1/policies/{target}/versions/{version}/promote": {"target": target},
        "/v1/policies/{target}/versions/{version}/rollback": {"target": target},
        "/v1/policies/{target}/signing": {"target": target},
        "/v1/targets/{name}": {"name": target},
        "/v1/targets/{name}/service": {"name": target},
        "/v1/views/campaigns/{id}": {"id": campaign},
        "/v1/views/candidates/{id}": {"id": next(items for items in candidates if items)[0]["id"]},
        "/v1/views/jobs/{id}": {"id": job},
        "/v1/views/policies/{target}": {"target": target},
        "/v1/views/targets/{name}/history": {"name": target},
        "/v1/views/targets/{name}/samples": {"name": target},
        "/v1/workers/{name}": {"name": await first("/v1/workers", "name")},
        "/v1/workers/{name}/drain": {"name": await first("/v1/workers", "name")},
        "/v1/workers/{name}/resume": {"name": await first("/v1/workers", "name")},
        "/v1/workers/{name}/free": {"name": await first("/v1/workers", "name")},
    }
    for command in ("step", "observe", "undo", "reset", "fork"):
        known[f"/v1/sessions/{{id}}/{command}"] = {"id": session}
    document = strict(json.loads(text))
    with open(os.path.join(folder, "openapi.json"), "w", encoding="utf-8") as file:
        json.dump(document, file)
    with open(os.path.join(folder, "none.toml"), "w", encoding="utf-8") as file:
        file.write(CHECKS)
    with open(os.path.join(folder, "known.toml"), "w", encoding="utf-8") as file:
        file.write(CHECKS)
        for path, values in known.items():
            if path not in document["paths"]:
                raise SystemExit(f"{path} is not in the document any more")
            file.write(f"[[operations]]\ninclude-path = {json.dumps(path)}\n[operations.parameters]\n")
            for name, value in values.items():
                file.write(f'"path.{name}" = {json.dumps(value)}\n')
    print(f"{len(known)} operations with ids that are there")


if __name__ == "__main__":
    if len(sys.argv) != 4:
        print(__doc__, file=sys.stderr)
        sys.exit(2)
    asyncio.run(prepare(*sys.argv[1:]))
