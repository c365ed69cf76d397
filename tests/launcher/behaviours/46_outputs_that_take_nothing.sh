#!/usr/bin/env bash
# Standard output or error is full, closed, or a pipe that nobody reads: it ends as the plain compiler does.
# fails with: loses_exit_code leaves_a_file
. "$(dirname "$0")/../behaviour.sh"
# Without the script around the launcher: a shell would open files of its own in what is closed.
[ "$SETUP" = tuned ] || { echo "SKIP: has settings of its own"; exit 77; }
L=$REAL; export HONE_ROOT=/ HONE_STATE_DIR=$STATE
use() { C=$1; case ${C##*/} in *clang*) HONE_POLICY=$W/setup/tuned.clang.idx ;; *) HONE_POLICY=$W/setup/tuned.gcc.idx ;; esac; export HONE_POLICY; }
mkdir in; echo 'int f() { int unused; return 0; }' > in/w.cc; loop_source > in/a.cc; echo 'int broken(' > in/e.cc
# A reader that is gone before the compiler starts.
cat > gone.py <<'P'
import os, signal, subprocess, sys
signal.signal(signal.SIGPIPE, signal.SIG_DFL if sys.argv[2] == "default" else signal.SIG_IGN)
read, write = os.pipe(); os.close(read)
code = subprocess.call(sys.argv[3:], restore_signals=False, **{sys.argv[1]: write})
print("code", code)
P
cp gone.py in/; python=$(command -v python3)
for compiler in "$CLANG" "$GXX"; do
  use "$compiler"
  for f in w a e; do
    twin "cc -O3 -Wall -c $f.cc 2>/dev/full"
    twin "cc -O3 -Wall -c $f.cc >/dev/full"
    twin "cc -O3 -Wall -c $f.cc 2>&-"
    twin "cc -O3 -Wall -c $f.cc >&-"
    twin "cc -O3 -Wall -c $f.cc >&- 2>&-"
    twin "cc -O3 -Wall -c $f.cc <&- >&- 2>&-"
    if [ -n "$python" ]; then for signal in default ignored; do
      twin "$python gone.py stderr $signal \"\${CC[@]}\" -O3 -Wall -c $f.cc"
      twin "$python gone.py stdout $signal \"\${CC[@]}\" -O3 -Wall -c $f.cc"
    done; fi
  done
  # Both in one: the order stays.
  twin -t 'cc -O3 -Wall -c w.cc > both 2>&1; cat both'
done
# A listing by the assembler that cannot be written, or to a reader that has gone.
use "$GXX"; twin 'cc -O3 -Wall -Wa,-ahls -c w.cc >/dev/full'; [ -z "$python" ] || twin "$python gone.py stdout default \"\${CC[@]}\" -O3 -Wa,-ahls -c a.cc"
# As often as it likes: no decision is given up for it.
use "$CLANG"; for i in 1 2 3 4; do twin 'cc -O3 -Wall -c w.cc 2>/dev/full'; twin 'cc -O3 -Wall -c w.cc 2>&-'; done; twin -t 'cc -O3 -c a.cc'
exit $bad
