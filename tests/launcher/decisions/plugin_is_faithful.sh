#!/usr/bin/env bash
# The compiler's own pipeline, run by the plugin, gives the compiler's own object, byte for byte.
# fails with: only_exec
. "$(dirname "$0")/../support.sh"
policy '{"source":"*","pipeline":"default<O3>"}'
export HONE_TEST_FORCE_PLUGIN=1
src=$(cd "$here/../.." && pwd)
cat > xxh.c <<'S'
#define XXH_STATIC_LINKING_ONLY
#define XXH_IMPLEMENTATION
#include <xxhash.h>
S
check() { # FILE FLAGS...
  local f=$1 cc=$CLANG; shift; case $f in *.c) cc=$CLANGC;; esac
  "$cc" "$@" -I"$src" -c "$f" -o plain.o || { no "plain $f"; return; }
  "$L" "$cc" "$@" -I"$src" -c "$f" -o tuned.o || no "$f $*: failed"
  same plain.o tuned.o "$f $*"; logged '"compiled":"tuned"' "$f $*"
}
check xxh.c -O3; check xxh.c -O3 -g -fPIC; check xxh.c -O3 -flto; check xxh.c -O3 -march=native -ffast-math
for f in base/file base/hash pipelines/forest; do
  check "$src/common/$f.cc" -std=c++20 -O3
done
check "$src/common/base/text.cc" -std=c++20 -O3 -g -fno-exceptions -ffunction-sections
exit $bad
