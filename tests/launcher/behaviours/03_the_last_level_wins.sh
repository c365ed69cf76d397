#!/usr/bin/env bash
# The last -O decides, also inside @files, and levels other than the policy's are left alone.
# fails with: raises_level reverses_levels only_exec
. "$(dirname "$0")/../behaviour.sh"
mkdir in; loop_source > in/a.cc; printf '#ifdef __OPTIMIZE__\nint optimised;\n#else\nint not_optimised;\n#endif\n' >> in/a.cc
echo -O0 > in/o0; echo -O3 > in/o3; echo '-O3 @o0' > in/o3o0; echo '-O0 @o3' > in/o0o3
twins -t <<'LINES'
cc -O0 -O3 -c a.cc
cc -O2 -c a.cc -Os -O3
cc @o0 @o3 -c a.cc
cc @o0o3 -c a.cc
cc @o3o0 -c a.cc -O3
cc -O3 -fno-inline -c a.cc
LINES
for C in "$CLANG"; do for o in -O4 -O9; do twin "cc $o -c a.cc"; done; done
twins -p <<'LINES'
cc -c a.cc
cc -O -c a.cc
cc -O0 -c a.cc
cc -O1 -c a.cc
cc -O2 -c a.cc
cc -Os -c a.cc
cc -Og -c a.cc
cc -O3 -c a.cc -O0
cc -O3 -O2 -c a.cc
cc @o3 @o0 -c a.cc
cc @o3o0 -c a.cc
cc -O3 -c a.cc @o0
cc -O3 -c a.cc -Onone
cc -O3 -c a.cc --optimize=0
LINES
C=$CLANG; twin -p 'cc -Oz -c a.cc'; twin -p 'cc -O3 -c a.cc -Xclang -O1'
exit $bad
