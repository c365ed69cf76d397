#!/usr/bin/env bash
# Colour follows the real terminal; forced colour, or none, is kept; widths and environment count.
# fails with: pipes_stderr
. "$(dirname "$0")/../behaviour.sh"
mkdir in; printf 'int f(int x) { int unused_variable_with_a_long_name = x; if (x = 3) return 1; return 2; }\n' > in/a.cc; echo 'int broken(' > in/b.cc
twins <<'LINES'
cc -O3 -Wall -fdiagnostics-color=always -c a.cc
cc -O3 -Wall -fdiagnostics-color=never -c a.cc
cc -O3 -Wall -fdiagnostics-color=auto -c a.cc
cc -O3 -Wall -fdiagnostics-color=always -c b.cc
cc -O3 -Wall -fmessage-length=40 -c a.cc
TERM=dumb GCC_COLORS= cc -O3 -Wall -c a.cc
CLICOLOR_FORCE=1 cc -O3 -Wall -c a.cc
LINES
C=$CLANG; twin 'cc -O3 -Wall -fcolor-diagnostics -fansi-escape-codes -c a.cc'
if command -v script >/dev/null; then
  screen() { # FOLDER COLUMNS WHAT COMMAND...
    (cd in && TERM=xterm-256color script -qec "stty cols $1; $2" /dev/null < /dev/null)
  }
  for cc in "$CLANG" "$GXX"; do
    for columns in 60 200; do
      for f in a b; do
        screen $columns "$cc -O3 -Wall -c $f.cc" > p.txt; screen $columns "$L $cc -O3 -Wall -c $f.cc" > q.txt
        same p.txt q.txt "$cc $f.cc on a terminal of $columns columns"
        grep -q $'\033' p.txt || no "test is wrong: no colours"
        # Standard error is a file while standard output is the terminal, and the other way round.
        screen $columns "$cc -O3 -Wall -c $f.cc 2>p.err; cat p.err" > p.txt; screen $columns "$L $cc -O3 -Wall -c $f.cc 2>p.err; cat p.err" > q.txt; same p.txt q.txt "$cc $f.cc: standard error is a file"
        screen $columns "$cc -O3 -Wall -c $f.cc | cat" > p.txt; screen $columns "$L $cc -O3 -Wall -c $f.cc | cat" > q.txt; same p.txt q.txt "$cc $f.cc: standard output is a pipe"
      done
    done
  done
fi
exit $bad
