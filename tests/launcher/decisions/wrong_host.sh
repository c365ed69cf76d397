#!/usr/bin/env bash
# The plugin does not run in an LLVM of another major, be it silently compatible or not.
# fails with: faulty_plugin
. "$(dirname "$0")/../support.sh"
plugin=$(realpath "$BIN/../lib/libhone_pass-19.so") || exit 77
opt=$(command -v opt-14 || command -v opt-15 || command -v opt-16) || { echo "SKIP: no other LLVM"; exit 77; }
printf 'define i32 @f() {\n  ret i32 0\n}\n' > a.ll
cap q "$opt" -load-pass-plugin="$plugin" -passes=instsimplify a.ll -S -o b.ll
code q 70 "$opt"; grep -q '^hone-pass: host: ' q.err || no "not marked: $(cat q.err)"
exit $bad
