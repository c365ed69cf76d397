#!/usr/bin/env bash
# A rule with a choice: the plugin picks a member by what the module looks like, says which, and is
# the compiler itself where it picks the first; with other caches, flags and failures as ever.
# fails with: only_exec
. "$(dirname "$0")/../support.sh"
[ "$(basename "$CLANG")" = clang++-19 ] || { echo "SKIP: choices are clang 19's"; exit 77; }
# By InstCount's number of instructions (feature 56): fewer than 40 stay plain.
choice() { # MEMBER KNOB: a policy that chooses between default<O3> and MEMBER
  policy "{\"source\":\"*\",\"levels\":[\"O3\",\"O2\"],\"requires\":[\"choice\"],\"pipeline\":\"default<O3>\",\"choice\":[\"choice 1\",\"clang 19\",\"features 1\",\"member default<O3>\",\"member $1\"${2:+,\"knob $2\"},\"split 56 40 1 2\",\"leaf 0\",\"leaf 1\"]}"
}
printf 'int f(int x) { return x + 1; }\n' > small.cc
loop_source > big.cc
note() { readelf -p .comment "$1" 2>/dev/null | grep -o 'hone choice [^ ]*'; }
choice "$PIPELINE"

# The first member is the compiler, byte for byte; the other is what the pipeline alone gives.
for flags in -O3 "-O3 -g" "-O3 -fPIC -ffunction-sections" "-O2 -g -march=native"; do
  "$CLANG" $flags -c small.cc -o plain.o; "$L" "$CLANG" $flags -c small.cc -o a.o || no "small $flags: failed"
  same plain.o a.o "the first member, $flags"; logged '"compiled":"tuned"' "$flags"; logged '"choice":0' "$flags"
  "$L" "$CLANG" $flags -c big.cc -o one.o || no "big $flags: failed"; logged '"choice":1' "big $flags"
  "$L" "$CLANG" $flags -c big.cc -o two.o; cmp -s one.o two.o || no "big $flags: two compiles differ"
  [ "$(note one.o)" = "hone choice 1/2" ] || no "big $flags: the note is '$(note one.o)'"
done
cp policy.idx choice.idx
"$L" "$CLANG" -O3 -c big.cc -o chosen.o
tune_all; "$L" "$CLANG" -O3 -c big.cc -o alone.o
text() { objcopy -O binary --only-section='.text*' "$1" "$1.text"; }
text chosen.o; text alone.o; cmp -s chosen.o.text alone.o.text || no "the member's code is not its pipeline's"
export HONE_POLICY=$W/choice.idx
"$L" "$CLANG" -O3 -fno-ident -c big.cc -o q.o; [ -z "$(note q.o)" ] || no "-fno-ident has a note"
case "$(last)" in *'"choice"'*) no "-fno-ident: logged $(last)";; esac
"$L" --explain "$CLANG" -O3 -c big.cc -o q.o > q.explain; grep -q '^choice: one of 2' q.explain && grep -q '^choice 0: default<O3>$' q.explain || no "explain: $(cat q.explain)"
"$L" --stats > q.stats; grep -q '^  choice 0 *4$' q.stats || no "stats: $(cat q.stats)"

# What whole pipelines were not measured with stays plain; so do coroutines, inside.
for flags in -flto -fsanitize=address -fsanitize=undefined; do
  "$CLANG" -O3 $flags -c big.cc -o plain.o; "$L" "$CLANG" -O3 $flags -c big.cc -o a.o; same plain.o a.o "$flags"; logged '"reason":"no_choice"' "$flags"
done
cat > co.cc <<'S'
#include <coroutine>
#include <vector>
struct T { struct promise_type { T get_return_object() { return {}; } std::suspend_never initial_suspend() { return {}; } std::suspend_never final_suspend() noexcept { return {}; } void return_void() {} void unhandled_exception() {} }; };
T go(std::vector<int>& v) { for (int& x : v) { x *= x; co_await std::suspend_never{}; } }
S
"$CLANG" -std=c++20 -O3 -c co.cc -o plain.o; "$L" "$CLANG" -std=c++20 -O3 -c co.cc -o a.o || no "coroutines: failed"; same plain.o a.o coroutines; logged '"choice":0' coroutines

loop_source > none.cc; printf '__attribute__((optnone, noinline)) int g(int x) { return x * 2; }\nint h(int x) { return g(x) + 1; }\n' >> none.cc
"$CLANG" -O3 -c none.cc -o plain.o; "$L" "$CLANG" -O3 -c none.cc -o a.o; same plain.o a.o "a function that is not to be optimised"; logged '"choice":0' optnone

# A knob of the member works as -mllvm does, and the user's own is the user's.
cat > unroll.cc <<'S'
int many(const int* p) { int s = 0; for (int i = 0; i < 24; ++i) { s ^= p[i] * (s | i) + p[i + 3] * p[i + 5] - (s >> 3); } return s; }
S
choice 'default<O3>' 'unroll-threshold 0'
"$CLANG" -O3 -mllvm -unroll-threshold=0 -c unroll.cc -o knob.o; "$CLANG" -O3 -c unroll.cc -o plain.o; differ knob.o plain.o "the knob shows"
"$L" "$CLANG" -O3 -c unroll.cc -o a.o || no "knob: failed"; logged '"choice":1' knob
text a.o; text knob.o; cmp -s a.o.text knob.o.text || no "the member's knob is not -mllvm's"
"$CLANG" -O3 -mllvm -unroll-threshold=100 -c unroll.cc -o plain.o; "$L" "$CLANG" -O3 -mllvm -unroll-threshold=100 -c unroll.cc -o a.o; same plain.o a.o "the user's own knob"

# Caches see the model; another is another compile.
if command -v ccache >/dev/null; then
  export CCACHE_DIR=$W/cache; unset CCACHE_DISABLE
  hits() { ccache --print-stats | awk '/^(direct|preprocessed)_cache_hit\t/ {n += $2} END {print n + 0}'; }
  export HONE_POLICY=$W/choice.idx
  for want in 0 1; do rm -f a.o; "$L" ccache "$CLANG" -O3 -c big.cc -o a.o; [ "$(hits)" = $want ] || no "ccache: $(hits) hits, want $want"; done
  same chosen.o a.o "from the cache"; logged '"choice":1' "a hit says what was chosen"
  choice 'default<O3>' 'unroll-threshold 0'; "$L" ccache "$CLANG" -O3 -c big.cc -o a.o; [ "$(hits)" = 1 ] || no "another model was a hit"
fi

# Never more than the allow-list, nor a damaged text: the policy is refused, or the compile is plain.
(choice 'default<O3>,internalize') > q.out 2>&1 && no "a member outside of the allow-list was taken"
(choice 'default<O3>' 'load x.so') > q.out 2>&1 && no "a knob outside of the allow-list was taken"
"$CLANG" -O3 -c big.cc -o plain.o
sed 's/split 56 40/split 56 00/' choice.idx > policy.idx; export HONE_POLICY=$W/policy.idx
"$L" "$CLANG" -O3 -c big.cc -o a.o || no "damaged index: failed"; same plain.o a.o "damaged index"; logged '"reason":"policy_unreadable"' "damaged index"
plugin=$(realpath "$BIN/../lib/libhone_pass-19.so")
cap q "$CLANG" -fno-crash-diagnostics -fplugin="$plugin" -fpass-plugin="$plugin" -mllvm '-use-hone-choice=choice 1|clang 16|features 1|member default<O3>|leaf 0' -O3 -c big.cc -o b.o
code q 70 "another compiler's model"; grep -q 'hone-pass: choice: ' q.err || no "not marked: $(head -c 200 q.err)"; [ ! -e b.o ] || no "an object in spite of it"
export HONE_POLICY=$W/choice.idx; faulty crash; "$L" "$CLANG" -O3 -c big.cc -o a.o || no "a plugin that knows no choices: failed"
same plain.o a.o "a plugin that knows no choices"; logged '"failure":"rejected"' "a plugin that knows no choices"
exit $bad
