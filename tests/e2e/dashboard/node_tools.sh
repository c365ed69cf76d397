# Sourced by the dashboard's tests: what they need of npm, in a copy, so that the source tree stays as it is.
#
#   dashboard_tests_into FOLDER    the browser tests with their packages, at FOLDER/tests
#   dashboard_page_into FOLDER     the built page, at FOLDER/page; its unit tests are run
# Both end the script with 77, and say why, where something cannot be had.
dashboard_root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../../.." && pwd)

dashboard_skip() { printf 'SKIPPED, NOT TESTED: %s\n' "$*" >&2; exit 77; }

dashboard_install() { # FOLDER
  if ! (cd "$1" && npm ci --no-fund --no-audit > npm.log 2>&1); then
    tail -n 5 "$1/npm.log" >&2
    dashboard_skip "npm ci fails in $(basename "$1"): no registry to be reached?"
  fi
}

dashboard_tests_into() {
  command -v node > /dev/null && command -v npm > /dev/null || dashboard_skip "the dashboard in a browser needs node 18 or later and npm"
  local browser=
  for browser in "${CHROMIUM:-}" /usr/bin/chromium /usr/bin/chromium-browser /usr/bin/google-chrome; do
    [ -x "$browser" ] && break
  done
  [ -x "$browser" ] || dashboard_skip "there is no Chromium (Debian: apt-get install chromium)"
  mkdir -p "$1/tests/e2e" "$1/tests/perf"
  (cd "$dashboard_root/tests" && tar -c --exclude node_modules e2e/dashboard perf/dashboard) | tar -x -C "$1/tests"
  dashboard_install "$1/tests/e2e/dashboard"
}

dashboard_page_into() {
  command -v npm > /dev/null || dashboard_skip "the page is built by npm"
  mkdir -p "$1/source"
  (cd "$dashboard_root/server/dashboard/page" && tar -c --exclude node_modules --exclude dist .) | tar -x -C "$1/source"
  dashboard_install "$1/source"
  (cd "$1/source" && npm test > test.log 2>&1) || { grep -A 20 '^not ok' "$1/source/test.log"; echo "WRONG: unit tests of the page"; exit 1; }
  grep '^# pass' "$1/source/test.log" | sed 's/# pass/unit tests of the page that pass:/'
  (cd "$1/source" && npm run build -- --outDir "$1/page" --emptyOutDir > build.log 2>&1) || { cat "$1/source/build.log"; exit 1; }
}
