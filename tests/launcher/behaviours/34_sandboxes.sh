#!/usr/bin/env bash
# No HOME, odd HOME, PWD=/proc/self/cwd, a read-only workspace, a working folder that is gone: silent, and compiled.
# fails with: needs_home leaves_a_file
. "$(dirname "$0")/../behaviour.sh"
mkdir in; loop_source > in/a.cc
twins -t <<'LINES'
env -u HOME "${CC[@]}" -O3 -c a.cc
env -u HOME -u PWD -u USER -u LOGNAME -u TMPDIR "${CC[@]}" -O3 -c a.cc
env -i PATH="$PATH" "${CC[@]}" -O3 -c a.cc
env -i PATH="$PATH" PWD=/proc/self/cwd "${CC[@]}" -O3 -c a.cc
env PWD=/nonexistent OLDPWD= "${CC[@]}" -O3 -c a.cc
env HOME=/dev/null XDG_CACHE_HOME=/dev/null XDG_CONFIG_HOME=/proc TMPDIR=/nonexistent "${CC[@]}" -O3 -c a.cc
cd /proc/self/cwd && cc -O3 -c a.cc
cc -O3 -c /proc/self/cwd/a.cc -o /proc/self/cwd/a.o
ln -s . here; cd here/here && cc -O3 -c a.cc
LINES
both 'mkdir gone; cd gone; rmdir ../gone; cc -O3 -c ../a.cc -o ../a.o 2>/dev/null'
# Sources that cannot be written to, outputs elsewhere. root writes everywhere: somebody else, then.
if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null; then
  mkdir out; chmod 777 out; chmod 755 . in; ro=(setpriv --reuid=65534 --regid=65534 --clear-groups env -u HOME)
  if "${ro[@]}" test -x "$REAL" && "${ro[@]}" test -x "$L"; then
    for cc in "$CLANG" "$GXX"; do
      cap p "${ro[@]}" "$cc" -O3 -MD -c in/a.cc -o out/p.o; cap q "${ro[@]}" "$L" "$cc" -O3 -MD -c in/a.cc -o out/q.o
      for k in rc out err; do same p.$k q.$k "read-only workspace, $cc: $k"; done; [ -s out/q.o ] || no "read-only workspace, $cc: no object"
      (cd in && cap ../p "${ro[@]}" "$cc" -O3 -c a.cc; cap ../q "${ro[@]}" "$L" "$cc" -O3 -c a.cc); for k in rc out; do same p.$k q.$k "no place for the object, $cc: $k"; done
      sed 's/a-[0-9a-f]*\.o/a-X.o/' p.err > p.e; sed 's/a-[0-9a-f]*\.o/a-X.o/' q.err > q.e; same p.e q.e "no place for the object, $cc: stderr"
      [ "$(ls -A in)" = a.cc ] || no "read-only workspace: $(ls -A in)"
    done
  fi
fi
exit $bad
