"""Policies that are not signed, are old or of a key that is retired; and who plays them to a build again."""
import http.server
import json
import os
import subprocess
import threading

from honed import ADMIN, CLANG, FOLDER, HONE, api, request, spec
from verdict import told


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
    told("policy", "publishing an old sequence",
         run("policy", "push", target, signed(25, path("new"))).returncode != 0)
    told("policy", "putting an old one in force by publishing it again",
         run("policy", "push", target, path("20.json"), "--promote").returncode != 0)
    # The same document is the same version, whoever sends it once more.
    before = run("policy", "versions", target).stdout
    run("policy", "push", target, path("20.json"))
    told("policy", "a second version of an old one", run("policy", "versions", target).stdout == before != "")
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
        # What is older is not taken, and breaks no build: a coordinator that was restored has it, too.
        if document is old and sign:
            refused = answer.returncode == 0 and "was seen before" in answer.stderr
        else:
            refused = answer.returncode != 0
        told("replay", what, refused and open(index, "rb").read() == kept,
             (answer.returncode, answer.stderr[:200]))
