#!/usr/bin/env bash
# Inherited descriptors, locks and the jobserver reach the compiler and are free when it has ended.
# fails with: closes_descriptors leaves_a_process
. "$(dirname "$0")/../behaviour.sh"
mkdir in; loop_source > in/a.cc
for name in clang++-19 g++; do real=$(command -v $([ $name = g++ ] && echo "$GXX" || echo "$CLANG"))
  printf '#!/bin/bash\n[ "$1" = --version ] || ls /proc/self/fd > fds\nexec "%s" "$@"\n' "$real" > $name; chmod +x $name
  for who in p q; do
    run=(./$name); [ $who = p ] || run=("$L" ./$name)
    bash -c 'exec 5<in/a.cc 7>"$1" 9<>"$1" 200<in/a.cc; shift; exec "$@"' _ $who.file "${run[@]}" -O3 -c in/a.cc -o $who.o; mv fds $who.fds
  done
  same p.fds q.fds "$name: descriptors"
done
# A pipe that the launcher inherits is closed when it has ended: no process keeps it.
for cc in "$CLANG" "$GXX"; do
  timeout 30 bash -c 'x=$("$@" 2>&1 | cat)' _ "$L" "$cc" -O3 -c in/a.cc -o a.o || no "$cc: a pipe on standard output stayed open"
  mkfifo keep; (timeout 20 cat keep > /dev/null; echo $? > kept) & reader=$!
  exec 9> keep; l "$cc" -O3 -c in/a.cc -o a.o; exec 9>&-; wait $reader; rm keep
  [ "$(cat kept)" = 0 ] || no "$cc: an inherited descriptor stayed open"
done
exec 8> lock; flock -n 8 || no "test is wrong"; l "$CLANG" -O3 -c in/a.cc -o a.o; exec 8>&-; flock -n lock true || no "a lock is still held"
if command -v make >/dev/null; then
  cat > sub.sh <<'M'
#!/bin/bash
case "$1" in --version) exec REAL "$@";; esac
auth=$(sed -n 's/.*--jobserver-auth=\([^ ]*\).*/\1/p' <<< "${MAKEFLAGS:-}")
case "$auth" in fifo:*) [ -p "${auth#fifo:}" ];; *,*) [ -e /proc/self/fd/${auth%,*} ] && [ -e /proc/self/fd/${auth#*,} ];; *) false;; esac || echo "lost: $MAKEFLAGS" >> lost
exec REAL "$@"
M
  sed -i "s|REAL|$(command -v "$CLANG")|" sub.sh; mv sub.sh clang++; chmod +x clang++
  printf '.PHONY: all\nall: a.o b.o c.o d.o\n%%.o:\n\t+@$(LAUNCH) ./clang++ -O3 -c in/a.cc -o $@\n' > Makefile; rm -f ./*.o
  timeout 120 make -s -j3 LAUNCH="$L" 2> make.err || no "make: $(head -2 make.err)"; quiet make.err make; [ ! -e lost ] || no "$(head -1 lost)"
fi
exit $bad
