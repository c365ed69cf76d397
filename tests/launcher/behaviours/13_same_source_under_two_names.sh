#!/usr/bin/env bash
# Two files of the same content, and one file under two names, each have their own dependency file.
# fails with: resolves_source depfile_by_object
. "$(dirname "$0")/../behaviour.sh"
mkdir -p in/one in/two in/out; loop_source > in/one/a.cc; cp in/one/a.cc in/two/a.cc; ln in/one/a.cc in/two/hard.cc; ln -s ../one/a.cc in/two/soft.cc
both -t 'for f in one/a two/a two/hard two/soft; do cc -O3 -MMD -MF out/${f/\//_}.d -c $f.cc -o out/${f/\//_}.o; done; cat out/*.d'
both -t 'for d in one two; do (cd $d && cc -O3 -MD -c a.cc); done; head -n 1 one/a.d two/a.d'
both 'for f in one/a two/a; do cc -O3 -g -MD -c $f.cc -o out/same.o; cp out/same.d ${f/\//_}.d; done'
exit $bad
