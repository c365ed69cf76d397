#!/usr/bin/env bash
# docs/configuration.md is what honed and hone-worker say of their settings. --write makes it anew.
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
bin=${HONE_BIN:-$root/build/dev/bin}
page=$root/docs/configuration.md
generated=$(mktemp)
trap 'rm -f "$generated"' EXIT
{
  cat <<'TEXT'
# Settings

Made from the programs by `tests/integration/configuration_reference.sh --write`; a test fails when it is stale.

Each setting can be given in four ways, of which the first one counts: the flag (`lease_seconds` is `--lease-seconds`;
a list's flag may be repeated; of a switch like `require_worker_certificate`, `--require-worker-certificate=false` takes
back what the file says), the variable of the environment (a list's values between commas; an empty one counts as none),
the file that `--config` or `HONED_CONFIG` (`HONE_WORKER_CONFIG`) names, and the default. A file is YAML or JSON: one
mapping, of settings as they are called below. A key that is none, and a value that is not taken, is an error that names
file, line and what would be right; a variable that begins like ours (`HONED_`, `HONE_WORKER_`) and is none is a warning
in the log. A path that is not absolute is looked for from the folder that the program is started in, in a file, too.

`--print-config` shows every value and where it is from, as a file that can be read again. Secrets are hidden there, and a
default that the program finds by itself, or that means the absence of a value, is a comment: said in a file, it would be
a value of yours.

TEXT
  env -i "$bin/honed" --print-reference
  echo
  env -i "$bin/hone-worker" --print-reference
} > "$generated"
if [ "${1:-}" = --write ]; then
  cp "$generated" "$page"
  exit 0
fi
diff -u "$page" "$generated" || { echo "docs/configuration.md is stale: run $0 --write"; exit 1; }
