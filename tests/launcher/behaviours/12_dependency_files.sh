#!/usr/bin/env bash
# Where dependency files lie and what their targets are called.
# fails with: depfile_by_object renames_into_place drops_argument
. "$(dirname "$0")/../behaviour.sh"
mkdir -p in/src in/out 'in/inc dir'; echo '#define K 9' > 'in/inc dir/k$.h'; { echo '#include "k$.h"'; loop_source; } > in/src/a.cc
twins -t -x '*.none' <<'LINES'
cc -O3 '-Iinc dir' -MD -c src/a.cc
cc -O3 '-Iinc dir' -MD -c src/a.cc -o out/b.o
cc -O3 '-Iinc dir' -MD -c src/a.cc -o out/a.cc.o
cc -O3 '-Iinc dir' -MD -c src/a.cc -o out/noext
cc -O3 '-Iinc dir' -MMD -MP -c src/a.cc -o out/b.o
cc -O3 '-Iinc dir' -MD -MF dep -c src/a.cc -o out/b.o
cc -O3 '-Iinc dir' -MD -MFdep -c src/a.cc -o out/b.o
cc -O3 '-Iinc dir' -MD -MF 'out/a b.d' -MT 'one two' -MT three -MQ '$x y' -c src/a.cc -o out/b.o
cc -O3 '-Iinc dir' -MMD -MT '' -c src/a.cc -o out/b.o
cc -O3 '-Iinc dir' -Wp,-MD,out/wp.d -c src/a.cc -o out/b.o
cc -O3 '-Iinc dir' -Wp,-MMD,out/wp.d -MT t -c src/a.cc -o out/b.o
cc -O3 '-Iinc dir' -MD -MP -MV -c src/a.cc -o out/b.o
cc -O3 '-Iinc dir' -c src/a.cc -o out/b.o -MMD -MF out/x.d -MF out/y.d
LINES
twins <<'LINES'
cc -O3 '-Iinc dir' -MD -MF no/such/dir.d -c src/a.cc -o out/b.o
cc -O3 -MD -c src/a.cc -o out/b.o
cc -O3 '-Iinc dir' -MF dep -c src/a.cc -o out/b.o
cc -O3 '-Iinc dir' -MD -MG -c src/a.cc -o out/b.o
cc -O3 '-Iinc dir' -MD -MF out/x.d src/a.cc -shared -fPIC -o out/l.so && rm out/l.so
LINES
C=$CLANG; twin -t "cc -O3 '-Iinc dir' -MD -MF out/x.d -MT nmake -c src/a.cc -o out/b.o"
twin -t "cc -O3 '-Iinc dir' -MD -fdepfile-entry=extra.txt -c src/a.cc -o out/b.o"
exit $bad
