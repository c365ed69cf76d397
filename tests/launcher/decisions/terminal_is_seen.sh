#!/usr/bin/env bash
# On a terminal the messages come out in colour and wrapped as the plain compiler has them.
# fails with: pipes_stderr only_exec
. "$(dirname "$0")/../support.sh"
command -v script >/dev/null || { echo "SKIP: no script"; exit 77; }
tune_all
printf 'int f(int x) { int unused_variable_with_a_name_that_makes_the_line_long = x; if (x = 3) return 1; return 2; }\n' > a.cc
on_terminal() { TERM=xterm-256color script -qec "stty cols 70; $1 $CLANG -O3 -Wall -c a.cc -o a.o" /dev/null < /dev/null; }
on_terminal '' > plain.txt; on_terminal "$L" > tuned.txt
grep -q $'\033' plain.txt || { echo "SKIP: no colours"; exit 77; }
logged '"compiled":"tuned"' "tuned"; same plain.txt tuned.txt "what the terminal shows"
exit $bad
