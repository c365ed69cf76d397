#!/bin/bash
# kill -9 of honed, Prometheus, HAProxy and the canary in every state of a canary: is it safe within an interval?
#
#   canary.sh [--seed N] [--states LIST] [--victims LIST] [--repeats LIST] [--bin DIR] [--out DIR]
#
#   --states LIST   of prepared, ramping-1, ramping-5, ramping-25, ramping-50, moving, judged, promoted, rolled_back
#                   and aborted [all]
#   --victims LIST  of honed (the one that drives, of two), honeds (both), prometheus, haproxy and canary [all]
#   --repeats LIST  of back (started again after 2.5 s), dead (for 14 s) and loop (killed four times) [all]
#   --seed N        of the load and the order of rounds [1]
#   --bin DIR       programs [build/release/bin, else build/dev/bin]
#   --out DIR       keeps what each verdict is made of, a JSON file a case
#
# Real PostgreSQL, two honeds, Prometheus, HAProxy, and a service with baseline and canary for each state, under
# some 500 requests a second. Safe is, as seen by the users:
#   - never more of the canary than its ramp, and nothing of it right after HAProxy began anew (until the next look);
#   - none of it when nobody can withdraw it: after the lease of 4 s and HAProxy's check (2 s); without Prometheus
#     the next window (2 s) and look (2.5 s) come before that;
#   - a canary that is down is withdrawn within three windows, or seven where too few requests are due to it to tell;
#   - no decision, window or experience is lost, twice or illegal;
#   - no request fails but those that the killed program held; and what may go on goes on.
# Some 11 minutes. A line a case, the figure last. Exit code 1 if a case is not safe, 2 for bad usage, 77 where
# namespaces, PostgreSQL, HAProxy or Prometheus are missing.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
usage() { sed -n '2,/^set /{/^set /d;s/^# \{0,1\}//p}' "${BASH_SOURCE[0]}" >&2; exit 2; }
some_of() { [[ $1 =~ ^($2)(,($2))*$ ]] || usage; }
skip() { echo "SKIP: canary chaos: $*" >&2; exit 77; }

bin= out= keep= more=()
while [ $# -gt 0 ]; do
  case $1 in
    --seed) [[ ${2-} =~ ^[0-9]{1,9}$ ]] || usage; more+=(--seed "$2"); shift 2 ;;
    --states) some_of "${2-}" 'prepared|ramping-(1|5|25|50)|moving|judged|promoted|rolled_back|aborted'; more+=("$1" "$2"); shift 2 ;;
    --victims) some_of "${2-}" 'honeds?|prometheus|haproxy|canary'; more+=("$1" "$2"); shift 2 ;;
    --repeats) some_of "${2-}" 'back|dead|loop'; more+=("$1" "$2"); shift 2 ;;
    --bin) bin=$(cd "${2-}" && pwd) || usage; shift 2 ;;
    --out) [ -n "${2-}" ] && mkdir -p "$2" || usage; out=$(cd "$2" && pwd); more+=(--out "$out"); shift 2 ;;
    *) usage ;;
  esac
done
for folder in "$here/build/release/bin" "$here/build/dev/bin"; do
  [ -n "$bin" ] || [ ! -x "$folder/honed" ] || bin=$folder
done
[ -x "$bin/honed" ] && [ -x "$bin/hone" ] || { echo "canary.sh: no honed and hone in '$bin': build them" >&2; exit 2; }

. "$here/tests/chaos/namespaces.sh"
find_namespaces || skip "$missing"
for program in haproxy prometheus; do
  command -v "$program" > /dev/null || skip "no $program"
done
run_in_namespaces python3 "$here/tests/chaos/canary.py" --bin "$bin" ${more[@]+"${more[@]}"}
