#!/usr/bin/env bash
# What the plugin cannot run ends the tuned compile, not the build; nothing is left behind.
# fails with: faulty_plugin
. "$(dirname "$0")/../support.sh"
plugin=$(realpath "$BIN/../lib/libhone_pass-19.so") || exit 77
loop_source > a.cc; mkdir tmp; export TMPDIR=$W/tmp
try() { # TEXT FLAGS...
  local text=$1; shift
  "$CLANG" -fno-crash-diagnostics -fplugin="$plugin" -fpass-plugin="$plugin" -mllvm "-use-hone-pipeline=$text" "$@" -c a.cc -o a.o
}
cap q try 'function(no-such-pass)' -O3
code q 70 "unknown pass"; grep -q 'hone-pass: pipeline: ' q.err || no "not marked: $(cat q.err)"
cap q try 'function(gvn' -O3; code q 70 "unbalanced text"
cap q try 'function(gvn)' -O0; code q 70 "-O0"; grep -q 'hone-pass: level: ' q.err || no "-O0 not marked"
[ "$(names tmp)" = "" ] || no "left '$(names tmp)'"; [ ! -e a.o ] && [ -z "$(ls | grep tmp.)" ] || no "left $(ls)"
exit $bad
