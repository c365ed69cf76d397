"""Archives that unpack to elsewhere, or to more than they may, as a worker meets them."""
import gzip
import hashlib
import io
import os
import tarfile
import time

from honed import FOLDER, api, spec, upload
from verdict import told


def archive(members):
    plain = io.BytesIO()
    with tarfile.open(fileobj=plain, mode="w", format=tarfile.PAX_FORMAT) as tar:
        for info, content in members:
            tar.addfile(info, io.BytesIO(content) if content is not None else None)
    return gzip.compress(plain.getvalue())


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
            told("archive", name, status in (400, 413, 422), status)
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
