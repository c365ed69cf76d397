#!/usr/bin/env bash
# --coverage: the .gcno beside the object, the .gcda where the object says, and counters that count.
# fails with: renames_into_place forces_decision drops_argument
. "$(dirname "$0")/../behaviour.sh"
mkdir -p in/out; printf 'int twice(int x) { return x > 3 ? x * 2 : x; }\nint main() { return twice(2) == 2 ? 0 : 1; }\n' > in/a.cc
twins -p -n <<'LINES'
cc -O3 --coverage -c a.cc -o out/a.o && cc --coverage out/a.o -o out/a && out/a; ls out
cc -O3 -fprofile-arcs -ftest-coverage -c a.cc -o out/a.o; ls out; strings out/a.o | grep -c gcda
cc -O3 -coverage -c a.cc; ls
LINES
both -p -n 'cc -O3 --coverage -c a.cc -o out/a.o; strings -a out/a.o | grep gcda | sed "s/.*run/run/"'
C=$CLANG
twin -p 'cc -O3 -fprofile-instr-generate -fcoverage-mapping -c a.cc -o out/a.o'
twin -n 'cc -O3 -fsanitize-coverage=trace-pc-guard -c a.cc -o out/a.o; nm out/a.o | grep -o "U __sanitizer_cov_trace_pc_guard$" | sort -u'
exit $bad
