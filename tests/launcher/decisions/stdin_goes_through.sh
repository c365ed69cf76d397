#!/usr/bin/env bash
# Source on standard input reaches the compiler whole; a tuned compile leaves standard input alone.
# fails with: reads_stdin only_exec
. "$(dirname "$0")/../support.sh"
tune_all
loop_source > a.cc; "$CLANG" -O3 -x c++ -c - -o plain.o < a.cc
"$L" "$CLANG" -O3 -x c++ -c - -o a.o < a.cc || no "compile from stdin"
same plain.o a.o "object from stdin"; logged '"reason":"stdin_input"' "stdin"
printf 'rest\n' | { "$L" "$CLANG" -O3 -c a.cc -o b.o; cat; } > rest; logged '"compiled":"tuned"' "tuned"
[ "$(cat rest)" = rest ] || no "standard input was read: '$(cat rest)'"
bash -c '"$@" <&- >&-' _ "$L" "$CLANG" -O3 -c a.cc -o c.o || no "stdin and stdout closed"; [ -s c.o ] || no "no object with closed descriptors"
bash -c '"$@" 2>&-' _ "$L" "$CLANG" -O3 -c a.cc -o d.o || no "stderr closed"; [ -s d.o ] || no "no object with stderr closed"
exit $bad
