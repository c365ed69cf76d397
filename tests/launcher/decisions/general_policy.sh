#!/usr/bin/env bash
# The installed general policy: found by `hone policy general`, used by a line, the same object every time,
# also from another folder; -Oz has a choice of its own; another level and another compiler stay plain.
# fails with: only_exec
. "$(dirname "$0")/../support.sh"
[ -x "$BIN/hone" ] || { echo "SKIP: no hone beside the launcher"; exit 77; }
[ "$(basename "$CLANG")" = clang++-19 ] || { echo "SKIP: the general policy is for clang 19"; exit 77; }
HONE_POLICY=$("$BIN/hone" policy general) || { no "hone policy general: exit $?"; exit $bad; }
export HONE_POLICY; unset HONE_ROOT
src=$(cd "$here/../.." && pwd)
file=$src/common/choice/choice_model.cc
compile() { "$L" "$CLANG" -std=c++20 -O3 -I"$src" -c "$file" -o "$1" "${@:2}" || no "$*: failed"; }
compile a.o; logged '"compiled":"tuned"' tuned; logged '"choice":' "the member is told"
mkdir elsewhere; (cd elsewhere && compile ../b.o); cmp -s a.o b.o || no "two compiles differ"
"$CLANG" -std=c++20 -O3 -I"$src" -c "$file" -o plain.o
[ "$(size a.o | awk 'NR == 2 {print $1}')" -le "$(size plain.o | awk 'NR == 2 {print $1}')" ] || no "more code than the compiler's own"
small() { "$L" "$CLANG" -std=c++20 -Oz -I"$src" -c "$file" -o "$1" || no "-Oz: failed"; }
small s.o; logged '"compiled":"tuned"' "-Oz"; logged '"choice":' "at -Oz the member is told"
"$CLANG" -std=c++20 -Oz -I"$src" -c "$file" -o plain-s.o
[ "$(size s.o | awk 'NR == 2 {print $1}')" -le "$(size plain-s.o | awk 'NR == 2 {print $1}')" ] || no "at -Oz more code than the compiler's own"
compile c.o -O2; logged '"reason":"no_rule"' "-O2"
printf 'int f(int x) { return x; }\n' > g.cc; "$L" "$GXX" -O3 -c g.cc -o g.o; logged '"reason":"no_rule"' "another compiler"
cap q "$BIN/hone" policy general --clang 3; [ "$(cat q.rc)" != 0 ] && grep -q 'clang 19 has one' q.err || no "--clang 3: $(cat q.rc) $(cat q.err)"
jq -e '.card.levels | all(.programs | length > 20) and has("O3") and has("Oz")' "$("$BIN/hone" policy general --document)" > /dev/null || no "the document has no card"
exit $bad
