#!/usr/bin/env bash
# What other flags ask for survives the replaced pipeline: sanitizers find, LTO links,
# making a profile stays plain.
# fails with: only_exec
. "$(dirname "$0")/../support.sh"
tune_all
printf '#include <cstdlib>\nint main(int argc, char**) { int* p = new int[4]; int x = p[argc + 3]; std::free(nullptr); return x & 1; }\n' > a.cc
"$L" "$CLANG" -O3 -g -fsanitize=address -c a.cc -o a.o && "$CLANG" -fsanitize=address a.o -o a || no "address: build"
logged '"compiled":"tuned"' "address"; ./a 2> asan.err && no "address: nothing found"; grep -q 'heap-buffer-overflow' asan.err || no "address: $(head -2 asan.err)"
loop_source > s.cc; "$L" "$CLANG" -O3 -flto -c s.cc -o s.o; logged '"compiled":"tuned"' "lto"; [ "$(head -c 2 s.o)" = BC ] || no "lto object is no bitcode"
for f in -fprofile-generate -fprofile-instr-generate --coverage -fprofile-use=none.profdata; do "$L" "$CLANG" -O3 $f -c s.cc -o s.o 2>/dev/null; logged '"reason":"instrumented"' "$f"; done
exit $bad
