#!/usr/bin/env bash
# Every file that an option asks for is there under its name, and no other.
# fails with: drops_argument renames_into_place leaves_a_file
. "$(dirname "$0")/../behaviour.sh"
mkdir -p in/src in/out; loop_source > in/src/a.cc
twins -n <<'LINES'
cc -O3 -save-temps -c src/a.cc
cc -O3 -save-temps=obj -c src/a.cc -o out/a.o
cc -O3 -save-temps=cwd -c src/a.cc -o out/a.o
cc -O3 -fstack-usage -c src/a.cc -o out/a.o
cc -O3 -g -gsplit-dwarf -c src/a.cc -o out/a.o
cc -O3 --coverage -c src/a.cc -o out/a.o
cc -O3 -MD -Wp,-dM -c src/a.cc -o out/a.o
cc -O3 -Wa,-adhln=out/a.lst -fno-integrated-as -c src/a.cc -o out/a.o
LINES
C=$CLANG
twins_clang() { while IFS= read -r line; do twin -n "$line"; done; }
twins_clang <<'LINES'
cc -O3 --save-temps -c src/a.cc
cc -O3 -ftime-trace -c src/a.cc -o out/a.o
cc -O3 -ftime-trace=out/t.json -c src/a.cc -o out/a.o
cc -O3 -fsave-optimization-record -c src/a.cc -o out/a.o
cc -O3 -fsave-optimization-record=bitstream -c src/a.cc -o out/a.o
cc -O3 -foptimization-record-file=out/r.yml -c src/a.cc -o out/a.o
cc -O3 --serialize-diagnostics out/a.dia -Wall -c src/a.cc -o out/a.o
cc -O3 -fno-integrated-as -c src/a.cc -o out/a.o
cc -O3 -ffat-lto-objects -flto -c src/a.cc -o out/a.o
cc -O3 -fembed-bitcode -c src/a.cc -o out/a.o
cc -O3 -fproc-stat-report=out/stat.csv -c src/a.cc -o out/a.o
LINES
C=$GXX
twins_clang <<'LINES'
cc -O3 -fcallgraph-info -c src/a.cc -o out/a.o
cc -O3 -fdump-tree-optimized -c src/a.cc -o out/a.o
cc -O3 -fdump-tree-all -c src/a.cc -o out/a.o
cc -O3 -fdump-ipa-inline -dumpdir out/ -c src/a.cc -o out/a.o
cc -O3 -da -c src/a.cc -o out/a.o
cc -O3 -fopt-info-vec-all=out/v.txt -c src/a.cc -o out/a.o
cc -O3 -aux-info out/aux -x c -c src/a.cc -o out/a.o -fpermissive
cc -O3 -dumpbase base -dumpbase-ext .x -fstack-usage -c src/a.cc -o out/a.o
cc -O3 -fsave-optimization-record -c src/a.cc -o out/a.o
LINES
# The temporary folder is as empty afterwards as before.
for C in "$CLANG" "$GXX"; do twin -n 'mkdir tmp; TMPDIR=$PWD/tmp cc -O3 -fno-integrated-as -c src/a.cc -o out/a.o 2>/dev/null; ls tmp'; done
exit $bad
