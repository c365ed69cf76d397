#!/usr/bin/env bash
# Meson: hone-cc in CC and CXX, and in a native file; every object tuned, the result unchanged, and
# with ccache behind it. (Meson itself takes only ccache and sccache for launchers.)
. "$(dirname "$0")/project.sh"
needs meson ninja ccache
export CCACHE_DIR=$W/cache
product p
cat > p/meson.build <<'S'
project('p', 'c', 'cpp', default_options: ['buildtype=plain', 'optimization=3'])
parts = static_library('parts', 'src/a.c')
executable('program', 'src/main.cc', 'src/b.cc', link_with: parts)
S
use "$(tuned_rules)"
export HONE_POLICY=$W/policy.idx HONE_ROOT=$W/p
check() { # NAME SETUP ARGUMENTS...
  local name=$1; shift
  export HONE_STATE_DIR=$W/state-$name
  meson setup "$name" p "$@" > setup.log 2>&1 || { no "$name: setup: $(tail -5 setup.log)"; return; }
  # What the probes of the setup left is none of the product.
  rm -f "$HONE_STATE_DIR/compiles.ndjson"
  ninja -C "$name" > build.log 2>&1 || { no "$name: build: $(tail -5 build.log)"; return; }
  [ "$(compiles "$HONE_STATE_DIR/compiles.ndjson" '"compiled":"tuned"')" = 3 ] \
    || no "$name: not tuned: $(cat "$HONE_STATE_DIR/compiles.ndjson")"
  [ "$(sources_since "$HONE_STATE_DIR/compiles.ndjson" 0)" = 'src/a.c src/b.cc src/main.cc ' ] || no "$name: names"
  [ "$("$name/program")" = "$expected" ] || no "$name: result $("$name/program")"
}
CC="$L $CLANGC" CXX="$L $CLANG" check environment
printf "[binaries]\nc = ['%s', '%s']\ncpp = ['%s', '%s']\n" "$L" "$CLANGC" "$L" "$CLANG" > native.ini
check native --native-file native.ini
CC="$L ccache $CLANGC" CXX="$L ccache $CLANG" check cached
CC=$CLANGC CXX=$CLANG meson setup plain p > setup.log 2>&1 && ninja -C plain > build.log 2>&1
[ "$(plain/program)" = "$expected" ] || no "plain: result"
! cmp -s plain/program native/program || no "the tuned program is the plain one"
exit $bad
