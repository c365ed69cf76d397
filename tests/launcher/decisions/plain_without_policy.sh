#!/usr/bin/env bash
# Without a policy the launcher is not there: same object, nothing kept.
# fails with: speaks_on_stderr
. "$(dirname "$0")/../support.sh"
loop_source > a.cc
"$CLANG" -O3 -g -c a.cc -o plain.o; cp a.cc b.cc
cap q plain_launcher "$CLANG" -O3 -g -c a.cc -o a.o
code q 0 "plain compile"; quiet q.err "plain compile"; same plain.o a.o "the object"
HONE_POLICY= "$L" "$CLANG" -O3 -g -c a.cc -o a.o; same plain.o a.o "the object with an empty HONE_POLICY"
[ ! -e state ] || no "something was kept"
HONE_LOG_WITHOUT_POLICY=1 plain_launcher "$CLANG" -O3 -g -c a.cc -o a.o; same plain.o a.o "the object of a compile that is logged"
logged '"reason":"no_policy"' "where a log is asked for"; logged '"tuned":false' "and"; logged '"source":"a.cc"' "and"
[ "$(lines)" = 1 ] || no "$(lines) lines of one compile"
cap q plain_launcher ./no-such-compiler -c a.cc; code q 127 "a missing compiler"
exit $bad
