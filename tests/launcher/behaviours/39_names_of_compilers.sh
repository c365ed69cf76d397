#!/usr/bin/env bash
# argv[0] stays as it was; GCC called c++, links, wrappers, other folders, PATH; a launcher in a launcher.
# fails with: resolves_compiler drops_argument
. "$(dirname "$0")/../behaviour.sh"
mkdir -p in bin; loop_source > in/a.cc; echo '#include <cstdio>
int main() { std::puts("linked"); }' > in/m.cc; cp in/m.cc in/m.cpp
ln -s "$(command -v "$CLANG")" bin/clang++; ln -s "$(command -v "$CLANGC")" bin/clang; ln -s "$(command -v "$GXX")" bin/c++; ln -s "$(command -v "$GXX")" bin/g++; ln -s "$(command -v "$CLANG")" bin/tool-clang++
printf '#!/bin/sh\nprintf "%%s\\n" "$0" > "%s/argv0"\nexec "%s" "$@"\n' "$W" "$(command -v "$CLANG")" > bin/wrapper; chmod +x bin/wrapper
export PATH=$W/case/bin:$PATH
# Linking says which of clang and clang++ was called: only one finds the C++ library.
for name in clang++ c++ g++ "$W/case/bin/clang++" ../bin/c++ ../bin/../bin/g++; do
  C=$name; twin -n 'cc -O3 m.cc -o m && ./m'; twin -t 'cc -O3 -c a.cc'
done
C=clang; twin -n 'cc -O3 m.cc -o m 2>/dev/null; echo $?; cc -O3 m.cc -lstdc++ -o m && ./m'
C=tool-clang++; twin 'cc -O3 -c a.cc'
# What a wrapper sees as its own name.
for call in wrapper bin/wrapper ./bin/wrapper "$W/case/bin/wrapper"; do
  "$call" -O3 -c in/a.cc -o a.o; p=$(cat "$W/argv0"); l "$call" -O3 -c in/a.cc -o a.o; q=$(cat "$W/argv0"); [ "$p" = "$q" ] || no "$call is called as $q, plain $p"
done
# A launcher before the launcher, a wrapper that calls one, a wrapper with its name in PATH.
cap q l "$L" "$CLANG" -O3 -c in/a.cc -o a.o; [ "$(cat q.rc)" = 0 ] && [ -s a.o ] || no "a launcher before the launcher: exit $(cat q.rc)"; quiet q.err "a launcher before the launcher"
printf '#!/bin/sh\nexec "%s" "%s" "$@"\n' "$L" "$(command -v "$CLANG")" > bin/masked-clang++; chmod +x bin/masked-clang++
C=masked-clang++; twin 'cc -O3 -c a.cc'; C=$CLANG
# A script with the compiler's own name, first in PATH, that calls the launcher: the next of that name compiles.
name=$(basename "$CLANG"); mkdir again; l "$CLANG" -O3 -c in/a.cc -o want.o; "$CLANG" -O3 -c in/a.cc -o plain.o
for call in 'exec "%s" "%s" "$@"' '"%s" "%s" "$@"; exit $?' 'exec env HONE_POLICY= "%s" "%s" "$@"'; do
  # shellcheck disable=SC2059
  printf "#!/bin/sh\n$call\n" "$L" "$name" > again/$name; chmod +x again/$name
  for level in -O3 -O0; do for who in "$name" "$L $name"; do
    # shellcheck disable=SC2086
    rm -f a.o; PATH=$W/case/again:$PATH cap q timeout 60 $who $level -c in/a.cc -o a.o
    [ "$(cat q.rc)" = 0 ] && [ -s a.o ] || no "a script that is found again ($call), $who $level: exit $(cat q.rc): $(head -c 200 q.err)"; quiet q.err "a script that is found again"
    [ $level = -O0 ] || cmp -s a.o want.o || cmp -s a.o plain.o || no "a script that is found again ($call), $who: another object"
  done; done
done
only=$W/case/again; mv again/$name again/only-here; sed -i "s/\"$name\"/only-here/" again/only-here
PATH=$only:$PATH cap q timeout 60 "$L" only-here -O3 -c in/a.cc -o a.o; [ "$(cat q.rc)" = 126 ] || no "nothing but a script that calls itself: exit $(cat q.rc)"
grep -q only-here q.err || no "nothing but a script that calls itself: says $(head -c 200 q.err)"
# -march=native is this machine's, in both.
both -t 'cc -O3 -march=native -c a.cc'
# Not a compiler at all.
for program in true false 'echo -O3 -c' "$(command -v cmake || echo true) -E echo -O3 -c"; do
  # shellcheck disable=SC2086
  cap p $program in/a.cc; cap q l $program in/a.cc; for k in rc out err; do same p.$k q.$k "$program: $k"; done
done
exit $bad
