#!/bin/bash
# The browser's part of dashboard_load.sh: how the page does on a honed with a million measurements.
#
#   run_browser.sh BIN URL TOKEN_FILE      BIN: folder of honed (its page is the one that URL serves)
#
# Prints the figure last; exit code 1 if it falls short, 77 where Chromium or npm cannot be had.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
[ $# = 3 ] || { sed -n '2,/^set /{/^set /d;s/^# \{0,1\}//p}' "${BASH_SOURCE[0]}" >&2; exit 2; }
url=$2
token=$(realpath "$3")
. "$here/../../e2e/dashboard/node_tools.sh"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
dashboard_tests_into "$work"
node "$work/tests/perf/dashboard/load.mjs" --url "$url" --token-file "$token"
