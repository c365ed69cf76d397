"""Paths that lead elsewhere: of the page, of assets, of artifacts."""
from honed import ADMIN, request, upload
from verdict import told


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
