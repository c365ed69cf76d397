#!/usr/bin/env bash
# A policy that is missing, cut, damaged, a folder or a device: plain, silently.
# fails with: only_exec
. "$(dirname "$0")/../support.sh"
tune_all; loop_source > a.cc; "$CLANG" -O3 -c a.cc -o plain.o
head -c 100 policy.idx > cut.idx; { head -c 120 policy.idx; printf X; tail -c +122 policy.idx; } > flipped.idx
mkdir folder; : > empty.idx; cp policy.json text.idx; mkfifo pipe.idx
for p in missing.idx cut.idx flipped.idx folder empty.idx text.idx pipe.idx /dev/zero; do
  case $p in /*) ;; *) p=$W/$p;; esac
  HONE_POLICY=$p cap q timeout 20 "$L" "$CLANG" -O3 -c a.cc -o a.o
  code q 0 "$p"; quiet q.err "$p"; same plain.o a.o "$p: the object"; logged '"reason":"policy_unreadable"' "$p"
done
policy_with '"expires_at":"2020-01-01T00:00:00Z",' "{\"source\":\"*\",\"pipeline\":\"$PIPELINE\"}"
"$L" "$CLANG" -O3 -c a.cc -o a.o; same plain.o a.o "expired"; logged '"reason":"policy_expired"' "expired"
exit $bad
