#!/usr/bin/env bash
# -gsplit-dwarf: the .dwo beside the object and its name inside; the order of -g options counts.
# fails with: renames_into_place reverses_options drops_argument
. "$(dirname "$0")/../behaviour.sh"
mkdir -p in/out in/src; loop_source > in/src/a.cc
dwo_name='readelf --debug-dump=info $o 2>/dev/null | grep -aoE "(DW_AT_(GNU_)?dwo_name|DW_AT_comp_dir) .*" | sed "s/.*: //" | grep -E "^/|\.dwo$" | sort -u'
for options in '-g -gsplit-dwarf' '-gsplit-dwarf -g' '-gsplit-dwarf -g0' '-g0 -gsplit-dwarf' '-g -gsplit-dwarf -gdwarf-4' '-gsplit-dwarf -g1' '-g -gno-split-dwarf -gsplit-dwarf'; do
  both "cc -O3 $options -c src/a.cc -o out/a.o; o=out/a.o; ls out; readelf -SW out/a.o | grep -oE ' \\.debug_(info|str|abbrev)(\\.dwo)?' | sort -u; $dwo_name; rm -f out/*"
done
both -n "cc -O3 -g -gsplit-dwarf -c src/a.cc; ls; o=a.o; $dwo_name"
both -n "cc -O3 -g -gsplit-dwarf -c src/a.cc -o out/x.y.o; o=out/x.y.o; $dwo_name"
C=$CLANG
twin -t -n "cc -O3 -g -gsplit-dwarf -c src/a.cc -o out/a.o; o=out/a.o; $dwo_name"
twin -n 'cc -O3 -g -gsplit-dwarf=single -c src/a.cc -o out/a.o'
twin -n 'cc -O3 -g -gsplit-dwarf -dumpdir out/d- -c src/a.cc -o out/a.o'
twin -n 'cc -O3 -g -fdebug-compilation-dir=/elsewhere -ffile-prefix-map=src=mapped -c src/a.cc -o out/a.o; readelf --debug-dump=info out/a.o | grep -aoE "(elsewhere|mapped/a.cc)" | sort -u'
twin -n 'cc -O3 -g -gz -c src/a.cc -o out/a.o; readelf -SW out/a.o | grep -c "\.debug_info.* C "'
exit $bad
