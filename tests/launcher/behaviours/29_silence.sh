#!/usr/bin/env bash
# Nothing of the launcher's own on either output, whatever happens: outer caches keep and replay it.
# fails with: speaks_on_stderr speaks_on_stdout
. "$(dirname "$0")/../behaviour.sh"
mkdir in; loop_source > in/a.cc; echo 'int broken(' > in/b.cc
clean() { [ ! -s launched.out ] && [ ! -s launched.err ] || no "$1: said $(head -c 200 launched.out launched.err)"; }
for C in "$CLANG" "$GXX"; do
  twin -t 'cc -O3 -Wall -c a.cc'; clean tuned
  twin 'cc -O0 -c a.cc'; clean plain
  twin 'HOME=/nonexistent TMPDIR=/nonexistent cc -O3 -c a.cc'; clean homeless
  twin 'HONE_ON_FAILURE=nonsense HONE_TEST_FORCE_PLUGIN=2 HONE_PLUGIN_DIR= cc -O3 -c a.cc'; clean "odd variables"
  twin 'cc -O3 -c b.cc'; twin 'cc -O3 -c b.cc -o /no/such/dir/x.o'
  cap q grep -c hone launched.err; [ "$(cat q.out)" = 0 ] || no "named in the error: $(cat launched.err)"
done
# A launcher whose policy is of no use is silent, too.
for policy in /nonexistent / /dev/null /etc/passwd '' relative; do
  HONE_POLICY=$policy cap q "$REAL" "$CLANG" -O3 -c in/a.cc -o q.o
  quiet q.err "policy $policy"; quiet q.out "policy $policy"; [ "$(cat q.rc)" = 0 ] || no "policy $policy: exit $(cat q.rc)"
done
exit $bad
