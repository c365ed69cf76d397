#!/usr/bin/env bash
# What follows an option that takes a value is the value, whatever it looks like.
# fails with: reverses_levels drops_argument drops_mode
. "$(dirname "$0")/../behaviour.sh"
mkdir in in/-O0 in/-E in/-c; loop_source > in/a.cc; echo 'int from_o0;' > in/-O0/h.h; echo 'int b;' > in/b.cc
cp in/-O0/h.h in/-O2; echo '#define SEEN 1' > in/-S
twins -t <<'LINES'
cc -O3 -I -O0 -include h.h -c a.cc
cc -O3 -B -O0 -c a.cc
cc -O3 -include -O2 -c a.cc
cc -O3 -imacros -S -c a.cc
cc -O3 -isystem -E -iquote -c -idirafter -O0 -c a.cc
cc -O3 -MD -MT -O0 -MF -M -c a.cc
cc -O3 -MMD -MQ -c -MF dep -c a.cc
cc -O3 -D S -U E -c a.cc
cc -O3 -c a.cc -o -O1
cc -O3 -c a.cc -o -M
cc -O3 --param max-inline-insns-auto=15 -c a.cc
cc -O3 -Xlinker -O0 -Xassembler --noexecstack -L -E -c a.cc -w
cc -O3 -c a.cc -l -O0 -L b.cc -w
LINES
twins -p <<'LINES'
cc -O0 -I -O3 -c a.cc
cc -O2 -B -O3 -c a.cc
cc -O2 -include a.cc -MT -O3 -MD -c b.cc
cc -O2 -o -O3 -c a.cc
cc -O3 -c a.cc -o
cc -O3 -c a.cc -I
cc -O3 -c -x
LINES
C=$CLANG
twin -t 'cc -O3 -mllvm -unroll-count=2 -c a.cc'
twin -p 'cc -O0 -mllvm -unroll-count=2 -Xclang -fno-pch-timestamp -Xpreprocessor -DX -c a.cc'
twin -t 'cc -O3 -c -- a.cc'
twin -p 'cc -O3 -c -- -O0'
exit $bad
