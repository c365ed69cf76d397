#!/usr/bin/env bash
# autoconf and automake: hone-cc in CC and CXX with a space, and by wrapper scripts for configure
# scripts that cannot take a space; libtool-like double compiles of a source with and without -fPIC.
. "$(dirname "$0")/project.sh"
needs autoreconf automake make
product p
cat > p/configure.ac <<'S'
AC_INIT([p], [1.0])
AM_INIT_AUTOMAKE([foreign subdir-objects])
AC_PROG_CC
AC_PROG_CXX
AC_PROG_RANLIB
AM_PROG_AR
AC_CHECK_HEADERS([stdint.h])
AC_CHECK_FUNCS([strdup])
AC_C_INLINE
AC_CONFIG_FILES([Makefile])
AC_OUTPUT
S
cat > p/Makefile.am <<'S'
bin_PROGRAMS = program
noinst_LIBRARIES = libparts.a libpic.a
libparts_a_SOURCES = src/a.c
libpic_a_SOURCES = src/a.c
libpic_a_CFLAGS = $(AM_CFLAGS) -fPIC
program_SOURCES = src/main.cc src/b.cc
program_LDADD = libparts.a
S
(cd p && autoreconf -i) > autoreconf.log 2>&1 || { no "autoreconf: $(tail -5 autoreconf.log)"; exit 1; }
use "$(tuned_rules)"
export HONE_POLICY=$W/policy.idx HONE_ROOT=$W/p
check() { # NAME CC CXX
  export HONE_STATE_DIR=$W/state-$1
  local log=$HONE_STATE_DIR/compiles.ndjson
  mkdir "$1"
  (cd "$1" && ../p/configure CC="$2" CXX="$3" CFLAGS=-O3 CXXFLAGS=-O3) > configure.log 2>&1 \
    || { no "$1: configure: $(tail -5 configure.log)"; return; }
  (cd "$1" && grep -E 'define|undef' config.log) | grep -E '^#define HAVE_' | LC_ALL=C sort > "$1.answers"
  rm -f "$log"
  make -C "$1" > build.log 2>&1 || { no "$1: make: $(tail -5 build.log)"; return; }
  [ "$("$1/program")" = "$expected" ] || no "$1: result $("$1/program")"
}
wrapper() { printf '#!/bin/sh\nexec "%s" %s "$@"\n' "$L" "$2" > "$1"; chmod +x "$1"; }
wrapper cc-tuned "$CLANGC"; wrapper c++-tuned "$CLANG"
check plain "$CLANGC" "$CLANG"
check space "$L $CLANGC" "$L $CLANG"
check wrapped "$W/cc-tuned" "$W/c++-tuned"
for name in space wrapped; do
  log=state-$name/compiles.ndjson
  [ "$(compiles $log '"compiled":"tuned"')" = 4 ] || no "$name: not tuned: $(cat $log)"
  [ "$(sources_since $log 0)" = 'src/a.c src/a.c src/b.cc src/main.cc ' ] || no "$name: names $(sources_since $log 0)"
  # The -fPIC twin is another object to a policy.
  [ "$(grep '"source":"src/a.c"' $log | sed 's/.*"options":"\([^"]*\)".*/\1/' | sort -u | wc -l)" = 2 ] || no "$name: the twins have one fingerprint"
  cmp -s plain.answers $name.answers || no "$name: configure found something else: $(diff plain.answers $name.answers)"
  ! cmp -s plain/src/b.o $name/src/b.o || no "$name: the plain object"
done
exit $bad
