"""kubernetes_check.py ROOT WORK: see kubernetes.sh."""

import json
import pathlib
import re
import sys

import kubernetes_validate
import yaml

root, work = map(pathlib.Path, sys.argv[1:])
base = root / "deploy/kubernetes/base"
VERSIONS = ("1.33", "1.37")
bad = []
checked = 0


def documents(path):
    return [d for d in yaml.safe_load_all(path.read_text()) if d]


def check_schema(document, where):
    global checked
    for version in VERSIONS:
        try:
            kubernetes_validate.validate(document, version, strict=True)
            checked += 1
        except kubernetes_validate.ValidationError as error:
            bad.append(f"{where}: {document.get('kind')} {document['metadata']['name']} ({version}): {error.message} at {list(error.path)}")


kustomization = yaml.safe_load((base / "kustomization.yaml").read_text())
files = sorted(p.name for p in base.glob("*.yaml") if p.name != "kustomization.yaml")
if sorted(kustomization["resources"]) != files:
    bad.append(f"kustomization.yaml names {kustomization['resources']}, there are {files}")
objects = []
for name in files:
    for document in documents(base / name):
        check_schema(document, name)
        objects.append(document)
if (work / "all.yaml").exists():
    built = documents(work / "all.yaml")
    for document in built:
        check_schema(document, "kustomize")
        if document["kind"] != "Namespace" and document["metadata"].get("namespace") != "hone":
            bad.append(f"{document['kind']} {document['metadata']['name']} is in no namespace of ours")
    if len(built) != len(objects):
        bad.append(f"kustomize made {len(built)} objects of {len(objects)}")

# A schema that takes everything would check nothing.
broken = json.loads(json.dumps(objects[-1]))
broken["spec"]["podSelektor"] = {}
try:
    kubernetes_validate.validate(broken, VERSIONS[0], strict=True)
    bad.append("the schema takes unknown fields")
except kubernetes_validate.ValidationError:
    pass

workloads = {o["metadata"]["name"]: o for o in objects if o["kind"] in ("Deployment", "StatefulSet")}
labels = {name: o["spec"]["template"]["metadata"]["labels"] for name, o in workloads.items()}


def selected(selector):
    return [n for n, own in labels.items() if selector and selector.items() <= own.items()]


for o in objects:
    kind, name, spec = o["kind"], o["metadata"]["name"], o.get("spec", {})
    if kind in ("Deployment", "StatefulSet"):
        if selected(spec["selector"]["matchLabels"]) != [name]:
            bad.append(f"{kind} {name} does not select its own pods")
        pod = spec["template"]["spec"]
        volumes = {v["name"] for v in pod["volumes"]}
        for container in pod["containers"]:
            mounts = {m["name"] for m in container["volumeMounts"]}
            if mounts != volumes:
                bad.append(f"{name}: volumes {volumes}, mounted {mounts}")
            image = container["image"]
            if image not in {i["name"] for i in kustomization["images"]}:
                bad.append(f"{name}: kustomization.yaml has no tag for {image}")
            help_file = work / f"{container['name']}.help"
            options = [a for a in container["args"] if a.startswith("--")]
            if help_file.exists():
                for option in options:
                    if not re.search(rf"(?<![\w-]){option}(?![\w-])", help_file.read_text()):
                        bad.append(f"{name}: {container['name']} has no option {option}")
        if name == "honed" and pod["securityContext"].get("runAsNonRoot") is not True:
            bad.append("honed runs as root")
        if pod["containers"][0]["securityContext"].get("runAsUser") == 0 and pod.get("hostUsers") is not False:
            bad.append(f"{name} is root of its node")
    if kind == "Service" and name == "hone" and selected(spec["selector"]) != ["honed"]:
        bad.append("the Service does not reach honed")
    if kind == "PodDisruptionBudget":
        (of,) = selected(spec["selector"]["matchLabels"])
        if spec["minAvailable"] >= workloads[of]["spec"]["replicas"]:
            bad.append(f"the budget of {of} never lets a node be drained")
    if kind == "NetworkPolicy" and selected(spec["podSelector"]["matchLabels"]) != [name]:
        bad.append(f"NetworkPolicy {name} is for {selected(spec['podSelector']['matchLabels'])}")

honed = workloads["honed"]["spec"]["template"]["spec"]["containers"][0]
paths = json.loads((root / "server/api/openapi.json").read_text())["paths"]
for probe in ("startupProbe", "readinessProbe", "livenessProbe"):
    path = honed[probe]["httpGet"]["path"]
    if path not in paths:
        bad.append(f"{probe} asks for {path}, which honed has not")
# TLS: what honed shows, how it is probed, and whom its workers trust, are one secret, whose key is honed's alone.
worker = workloads["hone-worker"]["spec"]["template"]["spec"]


def file_of(container, option):
    return container["args"][container["args"].index(option) + 1]


def secret_key(pod, container, option):
    """The secret and its key behind the file that an option names."""
    folder, _, name = file_of(container, option).rpartition("/")
    mount = next(m for m in container["volumeMounts"] if m["mountPath"] == folder)
    secret = next(v for v in pod["volumes"] if v["name"] == mount["name"])["secret"]
    items = secret.get("items")
    if items is not None:
        name = next(i["key"] for i in items if i["path"] == name)
    return secret["secretName"], name, [i["key"] for i in items or []]


honed_pod = workloads["honed"]["spec"]["template"]["spec"]
for option, key in (("--tls-cert", "tls.crt"), ("--tls-key", "tls.key")):
    if secret_key(honed_pod, honed, option)[:2] != ("hone-tls", key):
        bad.append(f"honed's {option} is not {key} of hone-tls")
if secret_key(worker, worker["containers"][0], "--ca") != ("hone-tls", "ca.crt", ["ca.crt"]):
    bad.append("the worker's --ca is not ca.crt of hone-tls alone")
if not file_of(worker["containers"][0], "--url").startswith("https://hone:"):
    bad.append("the worker does not speak HTTPS to the Service")
for probe in ("startupProbe", "readinessProbe", "livenessProbe"):
    if honed[probe]["httpGet"].get("scheme") != "HTTPS":
        bad.append(f"{probe} does not speak HTTPS")

port = honed["ports"][0]["containerPort"]
listen = honed["args"][honed["args"].index("--listen") + 1]
policy = next(o for o in objects if o["kind"] == "NetworkPolicy" and o["metadata"]["name"] == "honed")
opened = [p["port"] for rule in policy["spec"]["ingress"] for p in rule["ports"]]
if not listen.endswith(f":{port}") or opened != [port]:
    bad.append(f"honed listens on {listen}, its port is {port}, the policy opens {opened}")

for line in bad:
    print("WRONG:", line)
print(f"{checked} validations of {len(objects)} objects against Kubernetes {' and '.join(VERSIONS)}: {len(bad)} wrong")
sys.exit(1 if bad else 0)
