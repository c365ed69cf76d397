#!/usr/bin/env bash
# --named-decisions: a command names the policy that holds for it, in its words or in a parameter
# file; the compiler is silent about it, with the launcher and without. Bazel's wrapper does so.
# fails with: only_exec
. "$(dirname "$0")/../support.sh"
WRAPPER=$here/../../build_integration/bazel/hone_clang.sh
loop_source > a.cc
"$CLANG" -O3 -c a.cc -o plain.o
tune_all; cp policy.idx all.policy
policy '{"source":"*","pipeline":"function(sroa)"}'; mv policy.idx named.policy
HONE_POLICY=$W/named.policy "$L" "$CLANG" -O3 -c a.cc -o want.o; differ plain.o want.o "test"
unset HONE_POLICY HONE_ROOT
name=(--start-no-unused-arguments -Xlinker --hone-decision=named.policy --end-no-unused-arguments)
printf '%s\n' -O3 "${name[@]}" -c a.cc -o q.o > params

cap q "$CLANG" -Wall -Werror -O3 "${name[@]}" -c a.cc -o q.o; code q 0 "without a launcher"; quiet q.err "without a launcher"; same plain.o q.o "without a launcher"
# named WHAT WANTED-OBJECT COMMAND...
named() {
  local what=$1 want=$2; shift 2; rm -rf q.o
  cap q "$@"; code q 0 "$what"; quiet q.err "$what"; same "$want" q.o "$what"
}
for policy in '' --policy=all.policy; do
  named "in words $policy" want.o "$L" --named-decisions $policy "$CLANG" -O3 "${name[@]}" -c a.cc -o q.o; logged '"compiled":"tuned"' "in words"
  named "in a file $policy" want.o "$L" --named-decisions $policy "$CLANG" @params; logged '"compiled":"tuned"' "in a file"
done
n=$(lines)
named "none named" plain.o "$L" --named-decisions "$CLANG" -O3 -c a.cc -o q.o; named "not to be named" plain.o "$L" "$CLANG" @params
[ "$(lines)" = "$n" ] || no "logged without a policy: $(last)"
"$L" --named-decisions --explain "$CLANG" @params > x; grep -q '^policy: named.policy' x || no "--explain: $(cat x)"

# The wrapper, as Bazel's toolchain makes it.
mkdir -p tools; ln -s "$L" tools/hone-cc
for plugin in "$(dirname "$L")"/../lib/libhone_pass-19.so; do ln -s "$(realpath "$plugin")" tools/; done
sed "s|%{clang}|$(command -v "$CLANG")|" "$WRAPPER" > tools/hone_clang.sh; chmod +x tools/hone_clang.sh
named "wrapper, words" want.o tools/hone_clang.sh -O3 "${name[@]}" -c a.cc -o q.o
named "wrapper, file" want.o tools/hone_clang.sh @params
named "wrapper, none" plain.o tools/hone_clang.sh -O3 -c a.cc -o q.o
cp all.policy tools/policy
named "wrapper with a policy, file" want.o tools/hone_clang.sh @params
tools/hone_clang.sh -O3 -c a.cc -o q.o || no "wrapper with a policy failed"; differ plain.o q.o "wrapper with a policy"; differ want.o q.o "wrapper with a policy"
export HONE_POLICY=$W/all.policy HONE_ROOT=$W; cp q.o all.o
named "HONE_POLICY beats all" all.o tools/hone_clang.sh @params
unset HONE_POLICY HONE_ROOT
# As many words as a command can hold: each is read once.
for i in $(seq 20000); do echo "-DNAME_$i"; done > many
mapfile -t words < many
cap q timeout 20 tools/hone_clang.sh "${words[@]}" -O3 "${name[@]}" -c a.cc -o q.o; code q 0 "20000 words"; same want.o q.o "20000 words"
exit $bad
