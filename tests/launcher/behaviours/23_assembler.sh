#!/usr/bin/env bash
# Assembler sources and the assembler's own options and probes are untouched.
# fails with: drops_argument forces_decision speaks_on_stdout
. "$(dirname "$0")/../behaviour.sh"
mkdir in; printf '#ifdef W\n.globl w\nw: ret\n#endif\n.section .note.GNU-stack,"",@progbits\n' > in/a.S; printf '.globl p\np: ret\n' > in/a.s; cp in/a.s in/odd; cp in/a.S in/a.sx; loop_source > in/a.cc
twins -p <<'LINES'
cc -O3 -c a.s
cc -O3 -DW -c a.S
cc -O3 -c a.S -MD
cc -O3 -x assembler -c odd -o odd.o
cc -O3 -DW -x assembler-with-cpp -c odd -o odd.o
cc -O3 -c a.sx
cc -O3 -Wa,--noexecstack -c a.s
cc -O3 -Wa,-no-such-option -c a.s
cc -O3 -Wa,--help -c -x assembler /dev/null -o x.o | sed -n 1p
cc -O3 -g -c a.s
cc -O3 -x assembler -c a.cc
cc -O3 -c a.s a.S
LINES
both -t 'cc -O3 -Wa,--noexecstack -c a.cc'
both 'cc -O3 -Wa,-no-such-option -c a.cc'
both 'cc -O3 -Wa,-mrelax-relocations=no,--noexecstack -c a.cc'
exit $bad
