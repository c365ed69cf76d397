#!/usr/bin/env bash
# What a compiler answers in place of compiling is answered once, is no failure of the decision, and
# no error where failures are errors. What it writes beside its work is written once, too.
# fails with: only_exec
. "$(dirname "$0")/../support.sh"
tune_all; loop_source > a.cc; echo 'int f(int n) { int x; if (n) x = n; return x; }' > u.cc
gcc_rule() { COMPILER_FAMILY=gcc COMPILER_MAJOR=$("$GXX" -dumpversion | cut -d. -f1) policy '{"source":"*","pipeline":"default<O3>","knobs":{"ftree-vectorize":"false"}}'; }
# A script that answers what no list knows.
printf '#!/bin/bash\ncase " $* " in *" -fwhat-is-new "*) echo new; exit 0;; esac\nexec "%s" "$@"\n' "$(command -v "$CLANG")" > clang++
printf '#!/bin/bash\ncase " $* " in *" -fwhat-is-new "*) echo new; exit 0;; esac\nexec "%s" "$@"\n' "$(command -v "$GXX")" > g++
chmod +x clang++ g++
same_answer() { # WORDS...
  rm -f a.o; cap p "$@" -O3 -c a.cc -o a.o; rm -f a.o; cap q "$L" "$@" -O3 -c a.cc -o a.o
  for k in rc out err; do same p.$k q.$k "$*: $k ($(wc -c < p.$k) bytes, now $(wc -c < q.$k))"; done
}
for mode in plain error; do
  export HONE_ON_FAILURE=$mode
  tune_all
  for question in -fwhat-is-new '-fwhat-is-new -DONE' '-fwhat-is-new -DTWO' '-fwhat-is-new -DTHREE' -Wa,--version '-Xassembler --version' \
      '-fno-integrated-as -Wa,--version' '-mllvm --help' '-mllvm --version' '-mllvm -help-list' '-Xclang -help' '-Xclang -version' '-Wp,-version' \
      '-Xclang --print-supported-cpus' '-Xclang -analyzer-checker-help'; do
    # shellcheck disable=SC2086
    same_answer ./clang++ $question
  done
  rm -f a.o; "$L" "$CLANG" -O3 -c a.cc -o a.o || no "$mode: afterwards"; logged '"compiled":"tuned"' "$mode: afterwards"
  gcc_rule
  for question in -fwhat-is-new '-fwhat-is-new -DONE' '-fwhat-is-new -DTWO' -Wa,--version -Wa,--help -Wa,--target-help -dumpfullversion -dumpspecs -fhelp -fversion -Wp,-M; do
    # shellcheck disable=SC2086
    same_answer ./g++ $question
  done
  # The assembler's listing is written once, be it by a tuned compile or by one that falls back.
  for f in a u; do
    cap p "$GXX" -O3 -Wall -Wa,-ahls -c $f.cc -o p.o; cap q "$L" "$GXX" -O3 -Wall -Wa,-ahls -c $f.cc -o q.o
    [ "$(grep -c 'GAS LISTING.*page 1$' q.out)" = 1 ] || no "$f.cc: $(grep -c 'GAS LISTING.*page 1$' q.out) listings"; same p.rc q.rc "$f.cc: exit"; same p.err q.err "$f.cc: stderr"
  done
  logged '"reason":"diagnostics"' "$mode: a listing that falls back"
  rm -f a.o; "$L" "$GXX" -O3 -c a.cc -o a.o || no "$mode: g++ afterwards"; logged '"compiled":"tuned"' "$mode: g++ afterwards"
done
! grep -q '"failure"' state/compiles.ndjson || no "a failure is logged: $(grep -m1 '"failure"' state/compiles.ndjson)"
[ ! -d state/failures ] || no "failures are counted: $(ls state/failures)"
unset HONE_ON_FAILURE
# More than is held: the compile is plain, and all of it comes.
printf '#!/bin/bash\ncase "$1" in --version) ;; *) head -c 100000000 /dev/zero;; esac\nexec "%s" "$@"\n' "$(command -v "$CLANG")" > clang++; tune_all; rm -f a.o
n=$("$L" ./clang++ -O3 -c a.cc -o a.o | wc -c); [ "$n" = 100000000 ] || no "$n bytes of 100000000"; logged '"reason":"output_not_held"' "much output"; "$CLANG" -O3 -c a.cc -o p.o; same p.o a.o "much output: the object"
exit $bad
