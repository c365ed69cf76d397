#!/usr/bin/env bash
# deploy/kubernetes against the schemas of the Kubernetes API (PyPI's kubernetes-validate carries them), as
# kustomize makes it and file by file, and against ourselves: what selects what, ports, probes that honed
# answers, options that the programs have. Exit code 77 where the schemas are not to be had.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
bin=${HONE_BIN:-$here/build/dev/bin}
W=$(mktemp -d)
trap 'rm -rf "$W"' EXIT
python3 -m venv "$W/venv" > /dev/null 2>&1 || { echo "SKIP: no venv for python3"; exit 77; }
"$W/venv/bin/pip" install -q --disable-pip-version-check kubernetes-validate==1.37.0 > "$W/pip" 2>&1 ||
  { echo "SKIP: no kubernetes-validate from PyPI: $(tail -n 1 "$W/pip")"; exit 77; }
if command -v kubectl > /dev/null && kubectl kustomize "$here/deploy/kubernetes/base" > "$W/all.yaml" 2> "$W/kubectl"; then
  echo "kustomize by $(kubectl version --client 2>/dev/null | grep -i kustomize || echo kubectl)"
elif command -v kustomize > /dev/null; then
  kustomize build "$here/deploy/kubernetes/base" > "$W/all.yaml"
else
  echo "SKIPPED: no kubectl or kustomize: files are checked one by one only"
  [ ! -s "$W/kubectl" ] || { cat "$W/kubectl"; exit 1; }
fi
for program in honed hone-worker; do
  if [ -x "$bin/$program" ]; then "$bin/$program" --help > "$W/$program.help"; fi
done
"$W/venv/bin/python" "$here/tests/packaging/kubernetes_check.py" "$here" "$W"
