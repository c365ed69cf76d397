#!/usr/bin/env bash
# Every exit code, and death by every signal, is the compiler's.
# fails with: loses_exit_code flattens_exit_code
. "$(dirname "$0")/../behaviour.sh"
command -v python3 >/dev/null || { echo "SKIP: no python3"; exit 77; }
mkdir in; loop_source > in/a.cc; cd in
for name in clang++ g++; do
  printf '#!/bin/bash\ncase "$1" in --version) echo "clang version 19.1.7"; echo "Target: x86_64-pc-linux-gnu"; exit;; esac\n[ -z "${KILL:-}" ] || kill -$KILL $$\nexit ${CODE:-0}\n' > $name; chmod +x $name
  for code in 1 2 3 42 69 70 77 100 126 127 128 129 137 139 250 254 255; do
    CODE=$code l ./$name -O3 -c a.cc -o a.o 2>/dev/null; r=$?; [ $r = $code ] || no "$name: exit $code became $r"
    CODE=$code l ./$name -O0 -c a.cc -o a.o 2>/dev/null; r=$?; [ $r = $code ] || no "$name, plain: exit $code became $r"
  done
  for level in -O3 -O0; do
    # -n for the parent is death by signal n; a shell that tells 128 + n is none.
    for signal in SEGV ABRT KILL TERM INT HUP PIPE BUS ILL FPE XCPU USR1 ALRM; do
      got=$(KILL=$signal python3 -c 'import resource, signal, subprocess, sys; [signal.signal(s, signal.SIG_DFL) for s in (signal.SIGINT, signal.SIGQUIT, signal.SIGHUP)]; resource.setrlimit(resource.RLIMIT_CORE, (0, 0)); print(subprocess.call(sys.argv[1:]))' "$L" ./$name $level -c a.cc -o a.o)
      [ "$got" = "-$(kill -l $signal)" ] || no "$name $level: death by SIG$signal is $got for the parent"
    done
  done
done
cap q l ./no-such-compiler -O3 -c a.cc; [ "$(cat q.rc)" = 127 ] || no "missing compiler: $(cat q.rc)"
: > no-exec; cap q l ./no-exec -O3 -c a.cc; [ "$(cat q.rc)" = 126 ] || no "not executable: $(cat q.rc)"
exit $bad
