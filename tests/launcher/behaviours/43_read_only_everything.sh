#!/usr/bin/env bash
# A state folder, a plugin folder, a policy, the output's neighbours and HOME that nobody may write to.
# fails with: needs_home leaves_a_file only_exec
. "$(dirname "$0")/../behaviour.sh"
[ "$SETUP" = tuned ] || { echo "SKIP: has policies of its own"; exit 77; }
plugin=$(realpath "$BIN/../lib/libhone_pass-19.so") || { echo "SKIP: no plugin"; exit 77; }
mkdir in out state plugins; loop_source > in/a.cc; cp "$plugin" plugins/; cp "$W/setup/tuned.clang.idx" policy.idx
: > out/a.o; echo neighbour > out/b.o; "$CLANG" -O3 -c in/a.cc -o plain.o; chmod 755 . in
if [ "$(id -u)" = 0 ]; then
  command -v setpriv >/dev/null || { echo "SKIP: no setpriv"; exit 77; }
  as=(setpriv --reuid=65534 --regid=65534 --clear-groups); "${as[@]}" test -x "$REAL" || { echo "SKIP: $REAL is out of reach for others"; exit 77; }
else
  as=(env)
fi
chmod 666 out/a.o; chmod 555 out state plugins in .; chmod 444 policy.idx plugins/*
export HONE_ROOT=$W/case HONE_STATE_DIR=$W/case/state HONE_POLICY=$W/case/policy.idx HONE_PLUGIN_DIR=$W/case/plugins
run() { # WHAT COMMAND...: into out/a.o
  local what=$1; shift; : > out/a.o
  "$@" "$REAL" "$CLANG" -O3 -c in/a.cc -o out/a.o > "$W/q.out" 2> "$W/q.err"; r=$?
  [ $r = 0 ] || no "$what: exit $r: $(head -2 "$W/q.err")"; quiet "$W/q.err" "$what"; quiet "$W/q.out" "$what"
  nm out/a.o | grep -q _Z3sum || no "$what: no object"
  [ "$(ls -A out | tr '\n' ' ')" = 'a.o b.o ' ] && [ "$(cat out/b.o)" = neighbour ] || no "$what: out holds $(ls -A out)"
}
run "read-only" "${as[@]}"; ! cmp -s out/a.o plain.o || no "was not tuned"
run "no HOME" "${as[@]}" env -u HOME; ! cmp -s out/a.o plain.o || no "no HOME: was not tuned"
run "empty environment" "${as[@]}" env -i PATH=/usr/bin:/bin HONE_POLICY="$HONE_POLICY" HONE_PLUGIN_DIR="$HONE_PLUGIN_DIR"; ! cmp -s out/a.o plain.o || no "empty environment: was not tuned"
[ -z "$(ls -A state)" ] || no "the state folder holds $(ls -A state)"
# What cannot even be read is as if it were not there.
if [ "$(id -u)" = 0 ]; then
  chmod 000 policy.idx; run "unreadable policy" "${as[@]}"; cmp -s out/a.o plain.o || no "unreadable policy: another object"; chmod 444 policy.idx
  chmod 000 plugins; run "unreadable plugins" "${as[@]}"; cmp -s out/a.o plain.o || no "unreadable plugins: another object"
  if [ -e "$FAULTY/libhone_pass-19.so" ]; then
    chmod 755 plugins; cp -f "$FAULTY/libhone_pass-19.so" plugins/; chmod 755 plugins/*
    export HONE_TEST_FAULT=crash; run "crash" "${as[@]}"; cmp -s out/a.o plain.o || no "crash: another object"
  fi
fi
chmod 755 . out state plugins
exit $bad
