#!/usr/bin/env bash
# A pass that crashes: the user gets the plain object and sees what the plain compiler says.
# fails with: never_falls_back only_exec
. "$(dirname "$0")/../support.sh"
tune_all
cat > a.cc <<'S'
int f(int x) { int unused = x; if (x = 3) return 1; return 2; }
S
"$CLANG" -O3 -Wall -c a.cc -o plain.o 2>plain.err
mkdir tmp; export TMPDIR=$W/tmp
for fault in crash kill exit70; do
  faulty $fault; rm -f a.o; rm -rf state
  cap q "$L" "$CLANG" -O3 -Wall -MD -c a.cc -o a.o
  code q 0 $fault; same plain.o a.o "$fault: the object"; same plain.err q.err "$fault: stderr"; quiet q.out $fault
  logged '"compiled":"plain"' $fault; logged '"failure":"crashed"' $fault
  [ "$(names tmp)" = "" ] || no "$fault left '$(names tmp)' in the temporary folder"
  [ -z "$(ls | grep -E '\.tmp|-[0-9a-f]{8}\.o|^core')" ] || no "$fault left files: $(ls)"
done
# The driver lives on when only the compiler proper is killed, as it is with two steps.
echo 'export module m; export int f(int x) { return x; }' > m.cppm; mkdir bmi out; faulty kill
"$L" "$CLANG" -std=c++20 -O3 -fmodule-output=bmi/m.pcm -c m.cppm -o out/m.o || no "module: failed"
[ "$(names out)" = "m.o " ] && [ "$(names bmi)" = "m.pcm " ] || no "module: left '$(names out)' and '$(names bmi)'"
exit $bad
