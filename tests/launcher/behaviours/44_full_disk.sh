#!/usr/bin/env bash
# No space left: for the notes of the launcher that is nothing; for the object it is the compiler's error.
# fails with: only_exec loses_exit_code
. "$(dirname "$0")/../behaviour.sh"
[ "$SETUP" = tuned ] || { echo "SKIP: has policies of its own"; exit 77; }
mkdir in disk; loop_source > in/a.cc; awk 'BEGIN {for (i = 0; i < 400; ++i) printf "int table_%d[64] = {%d};\n", i, i + 1}' > in/big.cc
mounted=0; trap 'cd /; [ $mounted = 0 ] || umount "$W/case/disk"; rm -rf "$W"' EXIT
mount -t tmpfs -o size=64k,nr_inodes=64 none disk 2>/dev/null && mounted=1 || { echo "SKIP: cannot mount a small disk"; exit 77; }
export HONE_ROOT=$W/case HONE_POLICY=$W/setup/tuned.clang.idx HONE_STATE_DIR=$W/case/state
"$REAL" "$CLANG" -O3 -c in/a.cc -o tuned.o && grep -q '"compiled":"tuned"' state/compiles.ndjson || no "test is wrong: not tuned"
fill() { mkdir -p disk/state; cat /dev/zero > disk/filler 2>/dev/null; [ "$(df --output=avail disk | tail -1)" -eq 0 ] || no "test is wrong: the disk is not full"; }
# The state folder lies on the full disk; the object does not.
fill; export HONE_STATE_DIR=$W/case/disk/state
for i in 1 2; do
  rm -f a.o; cap q "$REAL" "$CLANG" -O3 -MD -c in/a.cc -o a.o; [ "$(cat q.rc)" = 0 ] || no "full state folder: exit $(cat q.rc)"; quiet q.err "full state folder"
  cmp -s a.o tuned.o || no "full state folder: not the tuned object"
done
! find disk/state -name '*.[0-9]*' | grep . || no "half-written notes"
# The object does not fit: exit code, message and what is left are the plain compiler's.
for f in a big; do
  rm -rf disk/*; fill; cap p "$CLANG" -O3 -c in/$f.cc -o disk/x.o; (cd disk && ls -A) > p.ls
  rm -rf disk/*; fill; cap q "$REAL" "$CLANG" -O3 -c in/$f.cc -o disk/x.o; (cd disk && ls -A) > q.ls
  [ "$(cat p.rc)" != 0 ] || no "test is wrong: the compiler is content"
  same p.rc q.rc "$f: object on a full disk: exit"; same p.ls q.ls "$f: object on a full disk: files"
  same_names < p.err > p.e; same_names < q.err > q.e; same p.e q.e "$f: object on a full disk: stderr"
done
# Temporary files have no room.
rm -rf disk/*; fill; export TMPDIR=$W/case/disk; rm -f a.o
cap p "$CLANG" -O3 -c in/a.cc -o p.o; cap q "$REAL" "$CLANG" -O3 -c in/a.cc -o a.o; same p.rc q.rc "full temporary folder: exit"; same p.err q.err "full temporary folder: stderr"
exit $bad
