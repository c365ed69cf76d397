#!/usr/bin/env bash
# Preprocessing, dependencies, syntax checks and listings next to -c -O3: same output, no object.
# fails with: drops_mode speaks_on_stderr speaks_on_stdout
. "$(dirname "$0")/../behaviour.sh"
mkdir in; loop_source > in/a.cc; echo 'int broken(' > in/b.cc
twins -p <<'LINES'
cc -O3 -c a.cc -E
cc -O3 -c -E -P a.cc -o a.i
cc -O3 -c a.cc -M -MF a.d
cc -O3 -c a.cc -MM -MT x
cc -O3 -c a.cc -fsyntax-only -Wall
cc -O3 -c b.cc -fsyntax-only
cc -O3 -c a.cc -S
cc -O3 -c a.cc -S -o -
cc -O3 -c a.cc -o - -E
cc -O3 -c a.cc -dM -E
printf -- -E > mode; cc -O3 -c a.cc @mode
LINES
C=$CLANG; twins_clang() { while IFS= read -r line; do twin -p "$line"; done; }
twins_clang <<'LINES'
cc -O3 -c a.cc -emit-llvm -o a.bc
cc -O3 -c a.cc -emit-llvm -S
cc -O3 -c a.cc --analyze
cc -O3 -c a.cc --precompile
cc -O3 -c a.cc -Xclang -ast-dump | tail -n 1 | cut -c 1-20
cc -O3 -c a.cc -Xclang=-ast-list
cc -O3 -c a.cc -Xclang -dump-tokens
cc -O3 -c a.cc -Xclang -fsyntax-only
cc -O3 -c a.cc -Xclang -init-only
cc -O3 -c a.cc -Xclang -disable-llvm-passes -Xclang -emit-llvm -o a.bc
cc -O3 --preprocess a.cc
LINES
exit $bad
