#!/usr/bin/env bash
# Environment, descriptors and signal settings reach the tuned compiler as they reach the plain one.
# fails with: clears_environment closes_descriptors
. "$(dirname "$0")/../support.sh"
tune_all; loop_source > a.cc; real=$(command -v "$CLANG")
cat > clang++ <<S
#!/bin/bash
[ "\$1" = --version ] || { tr '\\0' '\\n' < /proc/self/environ | grep -v '^_=' | sort > env; ls /proc/self/fd > fds; grep -E '^Sig(Ign|Blk)' /proc/self/status > sigs; }
exec "$real" "\$@"
S
chmod +x clang++
for who in p q; do
  run=./clang++; [ $who = p ] || run="$L ./clang++"
  env -i PATH="$PATH" HONE_POLICY="$HONE_POLICY" HONE_ROOT="$W" HONE_STATE_DIR="$W/state" ODD=$'a\nb' bash -c "trap '' HUP CHLD PIPE; exec 7<a.cc; exec $run -O3 -c a.cc -o a.o" || no "$who failed"
  mv env $who.env; mv fds $who.fds; mv sigs $who.sigs
done
logged '"compiled":"tuned"' "tuned"
same p.env q.env "environment"; same p.fds q.fds "descriptors: $(tr '\n' ' ' < q.fds) want $(tr '\n' ' ' < p.fds)"; same p.sigs q.sigs "signals: $(tr '\n' ' ' < q.sigs) want $(tr '\n' ' ' < p.sigs)"
exit $bad
