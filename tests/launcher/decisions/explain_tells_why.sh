#!/usr/bin/env bash
# --explain says what would be done and runs nothing.
# fails with: drops_mode
. "$(dirname "$0")/../support.sh"
tune_all; loop_source > a.cc
"$L" --explain "$CLANG" -O3 -c a.cc -o a.o > e || no "failed"; grep -q '^decision: tuned' e && grep -q "^pipeline: function(sroa" e && grep -q '^source: a.cc' e || no "tuned: $(cat e)"
"$L" --explain "$CLANG" -O3 -E a.cc > e; grep -q '^reason: not_a_compile: .*(-E)' e || no "-E: $(cat e)"
"$L" --explain "$GXX" -O3 -c a.cc > e; grep -q '^reason: no_rule' e && grep -q 'gcc' e || no "gcc: $(cat e)"
env -u HONE_POLICY "$L" --explain "$CLANG" -O3 -c a.cc > e; grep -q 'HONE_POLICY is not set' e || no "no policy: $(cat e)"
[ ! -e a.o ] && [ "$(lines)" = 0 ] || no "something was run"
cap q "$L"; code q 2 "no command"; cap q "$L" --no-such-flag x; code q 2 "unknown flag"; "$L" --version | grep -q '^hone-cc [0-9]' || no "--version"
exit $bad
