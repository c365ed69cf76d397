"""Other people's targets, jobs, artifacts and policies, and more rights than a grant gives."""
import hashlib
import json

from honed import api, make_token, request, spec, upload
from verdict import told


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
