#!/usr/bin/env bash
# Without -o the object is named by the source as it is spelled, and lies in the working directory.
# fails with: resolves_source drops_argument
. "$(dirname "$0")/../behaviour.sh"
mkdir -p in/src in/out; loop_source > in/src/real.cc; ln -s real.cc in/src/alias.cc; ln -s src/real.cc in/top.cpp; ln -s src in/linked
cp in/src/real.cc in/noext; cp in/src/real.cc in/a.b.c.cc; cp in/src/real.cc 'in/sp ace.cc'; cp in/src/real.cc in/.cc; cp in/src/real.cc in/src/-dash.cc
twins -t <<'LINES'
cc -O3 -c src/real.cc
cc -O3 -c src/alias.cc
cc -O3 -c top.cpp
cc -O3 -c linked/real.cc
cd out && cc -O3 -c ../src/alias.cc
cd linked && cc -O3 -c real.cc
cc -O3 -x c++ -c noext
cc -O3 -c a.b.c.cc
cc -O3 -c 'sp ace.cc'
cc -O3 -c ./src/../src/real.cc
cc -O3 -c "$PWD/src/alias.cc"
cc -O3 -c ./src/-dash.cc
cc -O3 -g -MD -c top.cpp
cc -O3 -c src/real.cc -oout/joined.o
LINES
twins <<'LINES'
cc -O3 -c .cc
cc -O3 -c src/real.cc -o out/
cc -O3 -c src/real.cc -o ''
cc -O3 -c src/real.cc -o a.o -o out/b.o
cc -O3 -c src/real.cc --output=out/long.o
cc -O3 -c src/real.cc --output out/long.o
LINES
exit $bad
