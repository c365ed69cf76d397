#!/usr/bin/env bash
# Every exit code, and death by every signal, is the compiler's.
# fails with: loses_exit_code flattens_exit_code
. "$(dirname "$0")/../behaviour.sh"
mkdir in; loop_source > in/a.cc; cd in
for name in clang++ g++; do
  printf '#!/bin/bash\ncase "$1" in --version) echo "clang version 19.1.7"; echo "Target: x86_64-pc-linux-gnu"; exit;; esac\n[ -z "${KILL:-}" ] || kill -$KILL $$\nexit ${CODE:-0}\n' > $name; chmod +x $name
  for code in 1 2 3 42 69 70 77 100 126 127 128 129 137 139 250 254 255; do
    CODE=$code l ./$name -O3 -c a.cc -o a.o 2>/dev/null; r=$?; [ $r = $code ] || no "$name: exit $code became $r"
    CODE=$code l ./$name -O0 -c a.cc -o a.o 2>/dev/null; r=$?; [ $r = $code ] || no "$name, plain: exit $code became $r"
  done
  for signal in SEGV ABRT KILL TERM INT HUP PIPE BUS ILL FPE XCPU USR1 ALRM; do
    want=$((128 + $(kill -l $signal)))
    for level in -O3 -O0; do
      # perl would tell death from exit 128 + n; bash prints which it was.
      said=$(bash -c 'ulimit -c 0; KILL=$1 "$2" "./$3" '$level' -c a.cc -o a.o & wait $!; echo " $?"' _ $signal "$L" $name 2>&1 | tail -n 1 | sed 's/.* //')
      [ "$said" = $want ] || no "$name $level: death by SIG$signal became $said, want $want"
    done
  done
done
cap q l ./no-such-compiler -O3 -c a.cc; [ "$(cat q.rc)" = 127 ] || no "missing compiler: $(cat q.rc)"
: > no-exec; cap q l ./no-exec -O3 -c a.cc; [ "$(cat q.rc)" = 126 ] || no "not executable: $(cat q.rc)"
# What the shell calls death, not an exit code: WIFSIGNALED in the parent.
if command -v python3 >/dev/null; then
  for level in -O3 -O0; do
    got=$(KILL=SEGV python3 -c 'import subprocess, sys; print(subprocess.call(sys.argv[1:]))' "$L" ./clang++ $level -c a.cc -o a.o)
    [ "$got" = -11 ] || no "$level: death by SIGSEGV is $got for the parent, want -11"
  done
fi
exit $bad
