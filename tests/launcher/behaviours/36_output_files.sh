#!/usr/bin/env bash
# umask, links, modes, missing folders and failures: the file that is there afterwards is the plain compiler's.
# fails with: changes_umask renames_into_place unlinks_output makes_folders
. "$(dirname "$0")/../behaviour.sh"
mkdir in; loop_source > in/a.cc; echo 'int broken(' > in/b.cc
show='for f in $(find . -mindepth 1 | LC_ALL=C sort); do stat -c "%F %a %h" $f; readlink $f; done'
# Modes are shown before the owner is let in to compare what is there: with 0777 nobody but root may.
for u in 000 022 027 077 0777; do both -t "umask $u; cc -O3 -MD -c a.cc; r=\$?; umask 022; $show; chmod u+r a.*; (exit \$r)"; done
while IFS= read -r line; do both "$line; r=\$?; $show; (exit \$r)"; done <<'LINES'
echo old > x.o; chmod 640 x.o; cc -O3 -c a.cc -o x.o
echo old > x.o; chmod 444 x.o; cc -O3 -c a.cc -o x.o
echo old > x.o; ln x.o y.o; cc -O3 -c a.cc -o x.o
echo old > real.o; ln -s real.o x.o; cc -O3 -c a.cc -o x.o
mkdir d; ln -s d/real.o x.o; cc -O3 -c a.cc -o x.o
ln -s nowhere/real.o x.o; cc -O3 -c a.cc -o x.o
ln -s x.o x.o; cc -O3 -c a.cc -o x.o
cc -O3 -c a.cc -o no/such/x.o
mkdir d; chmod 555 d; cc -O3 -c a.cc -o d/x.o; r=$?; chmod 755 d; (exit $r)
mkdir x.o; cc -O3 -c a.cc -o x.o
echo old > x.o; cc -O3 -c b.cc -o x.o
echo old > x.o; cc -O3 -c nosuch.cc -o x.o
echo old > x.o; echo old > x.d; cc -O3 -MD -c b.cc -o x.o
echo old > x.o; cc -O3 -MD -MF no/such.d -c a.cc -o x.o
cc -O3 -c b.cc
LINES
# An object that is there already is replaced: its time is new, and a make that looks at it is right.
for C in "$CLANG" "$GXX"; do (cd in && touch -d '2001-01-01' t.o && l "$C" -O3 -c a.cc -o t.o && [ t.o -nt a.cc ] || no "$C: the object is older than its source"; rm -f t.o); done
exit $bad
