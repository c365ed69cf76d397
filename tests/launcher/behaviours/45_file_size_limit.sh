#!/usr/bin/env bash
# Under `ulimit -f` the launcher's own files end no compile, and an object that is too large is the compiler's matter.
# fails with: loses_exit_code only_exec
. "$(dirname "$0")/../behaviour.sh"
[ "$SETUP" = tuned ] || { echo "SKIP: has policies of its own"; exit 77; }
mkdir in; loop_source > in/a.cc; awk 'BEGIN {for (i = 0; i < 4000; ++i) printf "int table_%d[64] = {%d};\n", i, i + 1}' > in/big.cc
export HONE_ROOT=$W/case HONE_POLICY=$W/setup/tuned.clang.idx HONE_STATE_DIR=$W/case/state
"$REAL" "$CLANG" -O3 -c in/a.cc -o tuned.o && grep -q '"compiled":"tuned"' state/compiles.ndjson || no "test is wrong: not tuned"
# The log has grown past the limit; so has what is remembered of this decision.
head -c 200000 /dev/zero | tr '\0' '\n' >> state/compiles.ndjson
for i in 1 2; do
  rm -f a.o; cap q bash -c 'ulimit -f 100; exec "$@"' _ "$REAL" "$CLANG" -O3 -c in/a.cc -o a.o
  [ "$(cat q.rc)" = 0 ] || no "a grown log: exit $(cat q.rc)"; quiet q.err "a grown log"; cmp -s a.o tuned.o || no "a grown log: not the tuned object"
done
# A plain compile finds the signal neither blocked nor ignored.
printf '#!/bin/bash\n[ "$1" = --version ] || grep -E "^Sig(Blk|Ign|Pnd)" /proc/self/status > sigs\nexec "%s" "$@"\n' "$(command -v "$CLANG")" > clang++; chmod +x clang++
bash -c 'ulimit -f 100; exec ./clang++ -O0 -c in/a.cc -o a.o'; mv sigs p.sigs
bash -c 'ulimit -f 100; exec "$@" ./clang++ -O0 -c in/a.cc -o a.o' _ "$REAL"; mv sigs q.sigs; same p.sigs q.sigs "signals: $(tr '\n' ' ' < q.sigs) want $(tr '\n' ' ' < p.sigs)"
# Messages past the limit go where they always go.
awk 'BEGIN {print "void f() {"; for (i = 0; i < 3000; ++i) printf "int unused_%d;\n", i; print "}"}' > in/w.cc
for who in p q; do run=("$CLANG"); [ $who = p ] || run=("$REAL" "$CLANG")
  bash -c 'ulimit -f 100; "$@" 2>&1; echo "exit $?"' _ "${run[@]}" -O3 -Wall -c in/w.cc -o a.o | cat > $who.out; done
same p.out q.out "many messages"
# The object is too large: exit code and what is left are the plain compiler's.
for who in p q; do
  run=("$CLANG"); [ $who = p ] || run=("$REAL" "$CLANG"); rm -rf out; mkdir out
  cap $who bash -c 'ulimit -c 0; ulimit -f 100; exec "$@"' _ "${run[@]}" -O3 -c in/big.cc -o out/x.o; names out | sed -E 's/-[0-9a-f]{8}(\.o\.tmp)/-X\1/' > $who.ls
done
[ "$(cat p.rc)" != 0 ] || no "test is wrong: the compiler is content"
same p.rc q.rc "object past the limit: exit $(cat q.rc), plain $(cat p.rc)"; same p.ls q.ls "object past the limit: files $(cat q.ls), plain $(cat p.ls)"
[ ! -d state/failures ] || no "object past the limit: counted as a failure of the decision"
exit $bad
