#!/usr/bin/env bash
# Mode, links and devices: the tuned object's file is made as the plain compiler makes it.
# fails with: changes_umask renames_into_place
. "$(dirname "$0")/../support.sh"
tune_all
loop_source > a.cc
state_of() { stat -c '%F %a %h' "$1"; readlink "$1"; }
for u in 022 077 002; do
  (umask $u; "$CLANG" -O3 -c a.cc -o p.o; "$L" "$CLANG" -O3 -c a.cc -o q.o)
  [ "$(state_of p.o)" = "$(state_of q.o)" ] || no "umask $u: $(state_of q.o), want $(state_of p.o)"; rm -f p.o q.o
done
logged '"compiled":"tuned"' "umask"
for w in p q; do mkdir $w; (cd $w; echo old > real.o; ln -s real.o x.o; echo old > y.o; ln y.o z.o; cp ../a.cc .
  run=; [ $w = p ] || run=$L; $run "$CLANG" -O3 -c a.cc -o x.o; $run "$CLANG" -O3 -c a.cc -o y.o
  for f in x.o y.o z.o real.o; do state_of $f; done) > $w.state; done
same p.state q.state "links: $(tr '\n' ' ' < q.state)"
"$CLANG" -O3 -c a.cc -o plain.o
# A device of our own: a launcher that renames over /dev/null would take the machine down with it.
if mknod null c 1 3 2>/dev/null; then
  "$L" "$CLANG" -O3 -c a.cc -o null; logged '"reason":"other_output"' "a device"; [ -c null ] || no "the device is gone"
fi
mkfifo pipe; cat pipe > piped.o & "$L" "$CLANG" -O3 -c a.cc -o pipe; wait; [ -p pipe ] || no "the pipe is gone"
exit $bad
