#!/usr/bin/env bash
# A tuned object is another object, and the program does the same.
# fails with: only_exec
. "$(dirname "$0")/../support.sh"
tune_all
loop_source > a.cc
printf 'int sum(const std::vector<int>&);\n' > m.cc
cat > m.cc <<'S'
#include <cstdio>
#include <vector>
int sum(const std::vector<int>& v);
int main() { std::printf("%d\n", sum({1, 2, 3, 4, 5, 6, 7, 8, 9})); }
S
"$CLANG" -O3 -c a.cc -o plain.o
cap q "$L" "$CLANG" -O3 -c a.cc -o a.o
code q 0 "tuned compile"; quiet q.err "stderr"; quiet q.out "stdout"
differ plain.o a.o "the tuned object"
logged '"compiled":"tuned"' "tuned"; logged '"source":"a.cc","output":"a.o"' "names"
"$L" "$CLANG" -O3 -c m.cc -o m.o && "$L" "$CLANG" a.o m.o -o m || no "building the program"
[ "$(./m)" = 285 ] || no "the program printed '$(./m)'"
[ "$(lines)" = 2 ] || no "$(lines) lines logged, want 2 (a link makes no object)"
exit $bad
