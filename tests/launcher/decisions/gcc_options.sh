#!/usr/bin/env bash
# A policy for GCC sets -f options and parameters, and nothing else: what the user sets himself wins,
# warnings that the options made come as the plain command gives them, errors likewise.
# fails with: only_exec
. "$(dirname "$0")/../support.sh"
GXX=g++-12 COMPILER_FAMILY=gcc COMPILER_MAJOR=12
command -v $GXX >/dev/null || { echo "SKIP: no $GXX"; exit 77; }
loop_source > a.cc
$GXX -O3 -c a.cc -o plain.o
$GXX -funroll-loops --param=max-unroll-times=4 -O3 -c a.cc -o want.o
policy '{"source":"*","pipeline":"default<O3>","knobs":{"funroll-loops":"true","max-unroll-times":"4"}}'
"$L" $GXX -O3 -c a.cc -o a.o || no "failed"
differ plain.o a.o "the object"; cmp -s want.o a.o || no "not what the options make"
logged '"compiled":"tuned"' "tuned"
"$L" c++ -O3 -c a.cc -o a.o || no "failed as c++"; logged '"compiled":"tuned"' "under another name"
for own in -fno-unroll-loops --param=max-unroll-times=2 "--param max-unroll-times=2"; do
  # shellcheck disable=SC2086
  cap q "$L" $GXX -O3 $own -c a.cc -o a.o; code q 0 "$own"; logged '"reason":"knob_conflict"' "$own"
done
"$L" $GXX -O2 -c a.cc -o a.o || no "failed at -O2"; logged '"reason":"no_rule"' "another level"
"$L" "$CLANG" -O3 -c a.cc -o a.o || no "clang failed"; logged '"reason":"no_rule"' "another compiler"

# Without early inlining and value ranges GCC may warn otherwise: then the plain command speaks.
policy '{"source":"*","pipeline":"default<O3>","knobs":{"ftree-vrp":"false","fthread-jumps":"false"}}'
cat > w.cc <<'S'
int g(); int f(int n) { int x; if (n > 3) x = g(); int s = g(); if (n > 3) s += x; return s; }
int u(int n) { int y; if (n) y = g(); return y; }
S
cap p $GXX -O3 -Wall -c w.cc -o p.o; cap q "$L" $GXX -O3 -Wall -c w.cc -o q.o
same p.err q.err "the warnings"; cmp -s p.o q.o || no "a file whose warnings depend on passes is not plain"
logged '"reason":"diagnostics"' "warnings"
cap q "$L" $GXX -O3 -Wall -c w.cc -o q.o; same p.err q.err "the warnings, remembered"
[ "$(grep -c '"reason":"diagnostics"' state/compiles.ndjson)" = 2 ] || no "not remembered"
cap p $GXX -O3 -Wall -Werror -c w.cc -o p.o; cap q "$L" $GXX -O3 -Wall -Werror -c w.cc -o q.o
same p.err q.err "-Werror"; same p.rc q.rc "-Werror: exit code"
echo 'int f() { return nothing; }' > e.cc
cap p $GXX -O3 -c e.cc -o p.o; cap q "$L" $GXX -O3 -c e.cc -o q.o; same p.err q.err "an error"; same p.rc q.rc "exit code"

# A cross compiler is none of ours, whatever it is called.
mkdir cross; printf '#!/bin/sh\ncase $1 in -dumpmachine) echo arm-none-eabi;; *) exec %s "$@";; esac\n' "$(command -v $GXX)" > cross/g++
chmod +x cross/g++
"$L" cross/g++ -O3 -c a.cc -o a.o || no "cross failed"; same plain.o a.o "the cross compiler's object"; logged '"reason":"other_target"' "cross"
policy '{"source":"*","pipeline":"function(sroa)"}' 2>/dev/null | grep -q refused || no "a pipeline for GCC is in the index"
policy '{"source":"*","pipeline":"default<O3>","knobs":{"ffast-math":"true"}}' 2>/dev/null | grep -q refused || no "-ffast-math is in the index"
exit $bad
