#!/usr/bin/env bash
# Bazel builds through hone-cc: a library, a binary and a test, offline and sandboxed where the kernel
# lets Bazel: every object tuned, results as plain; a changed decision compiles exactly its own source;
# action keys are the same wherever workspace and Hone lie; a policy for Bazel's own rules.
#   bazel.sh          HONE_BIN: folder of hone and hone-cc (default build/dev/bin); exit 77 without Bazel
set -uo pipefail
ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
BIN=$(realpath "${HONE_BIN:-$ROOT/build/dev/bin}")
for program in "$BIN/hone" "$BIN/hone-cc" bazel clang-19; do
  command -v "$program" > /dev/null || { echo "SKIP: no $program"; exit 77; }
done
[ -d /usr/share/bazel/rules/cc ] || { echo "SKIP: no Debian packages of Bazel's rules"; exit 77; }
unset HONE_POLICY HONE_ROOT HONE_STATE_DIR HONE_ON_FAILURE HONE_PLUGIN_DIR HONE_CC
W=$(mktemp -d) || exit 77
wrong=0
no() { printf 'WRONG: %s\n' "$*"; wrong=$((wrong + 1)); }

# bazel_in WORKSPACE ARGUMENTS...: a Bazel of this test's own; its servers end with the test.
bazel_in() {
  local workspace=$1
  shift
  (cd "$W/$workspace" && exec bazel --bazelrc="$W/rules/bazelrc" --max_idle_secs=60 \
    --host_jvm_args=-XX:TieredStopAtLevel=1 --output_user_root="$W/bazel" "$@")
}
clean_up() {
  local workspace
  for workspace in one two; do
    [ ! -d "$W/$workspace" ] || bazel_in "$workspace" shutdown > /dev/null 2>&1
  done
  chmod -R u+w "$W"
  rm -rf "$W"
}
trap clean_up EXIT

"$ROOT/build_integration/bazel/offline_rules.sh" "$W/rules" || { echo "WRONG: no offline rules"; exit 1; }

# make_workspace NAME: the product, Hone's rules and programs, all at places of their own.
make_workspace() {
  mkdir -p "$W/$1" "$W/hone-of-$1"
  cp -r "$ROOT/deploy/examples/products/bazel-words/." "$W/$1"
  cp -r "$ROOT/build_integration/bazel" "$W/hone-of-$1/rules"
  cp "$BIN/hone-cc" "$BIN"/../lib/libhone_pass-*.so "$W/hone-of-$1"
  cd "$W/$1" || exit 1
  # A second source of the same name, and a private header among the sources.
  mkdir src/more
  printf '#include "src/private.h"\nint more(int n) { int s = 0; for (int i = 0; i < n; ++i) s += i * kFactor; return s; }\n' \
    > src/more/count.cc
  printf '#pragma once\nconstexpr int kFactor = FACTOR;\n' > src/private.h
  sed -i -e '1i load("@hone//:defs.bzl", "cc_binary", "cc_library", "cc_test")' \
    -e 's|"src/distance.cc",|"src/distance.cc", "src/more/count.cc", "src/private.h",|' \
    -e 's|hdrs = \[|local_defines = ["FACTOR=$$((3))"], copts = select({"//conditions:default": ["-Wshadow"]}),\n    &|' BUILD
  sed -i 's/\$\$((3))/3/' BUILD
  cat >> WORKSPACE <<WORKSPACE
local_repository(name = "hone", path = "$W/hone-of-$1/rules")
load("@hone//:toolchain.bzl", "hone_toolchain")
hone_toolchain(name = "hone_cc", hone_cc = "$W/hone-of-$1/hone-cc")
WORKSPACE
  cat >> .bazelrc <<'BAZELRC'
build --crosstool_top=@hone_cc//:toolchain --@hone//:decisions=//hone:decisions
build --symlink_prefix=/ --features=layering_check --sandbox_default_allow_network=false
BAZELRC
  rm .bazelignore
  cat > hone/BUILD <<'BUILD'
load("@hone//:decisions.bzl", "hone_decisions")
package(default_visibility = ["//visibility:public"])
hone_decisions(name = "decisions", srcs = glob(["decisions/**/*.hone"]), folder = "decisions")
BUILD
}

# decide PIPELINE: the decision files of a policy that gives src/count.cc PIPELINE and the others another.
decide() {
  cat > policy.json <<JSON
{"format": 1, "target": "words", "sequence": 1, "compiler": {"family": "clang", "major": 19}, "rules": [
  {"source": "src/count.cc", "pipeline": "$1"}, {"source": "src/*", "pipeline": "function(sroa,early-cse)"}]}
JSON
  find src -name '*.cc' | "$BIN/hone" policy compile policy.json --unsigned -o policy --per-source hone/decisions \
    --sources - > "$W/compile.out" 2>&1 || no "policy compile: $(cat "$W/compile.out")"
}

log=$W/state/compiles.ndjson
compiled() { sed -n 's/.*"source":"\([^"]*\)".*"compiled":"tuned".*/\1/p' "$log" | sort -u | tr '\n' ' '; }
# build NAME ARGUMENTS...: tests workspace one with its log in $log; Bazel's words go to NAME.out.
build() {
  local name=$1
  shift
  rm -rf "$W/state" && mkdir "$W/state"
  bazel_in one test //... --action_env=HONE_STATE_DIR="$W/state" --sandbox_writable_path="$W/state" \
    --explain="$W/$name.explain" "$@" > "$W/$name.out" 2>&1 || no "$name: $(tail -n 30 "$W/$name.out")"
  grep -q 'text_test.*PASSED' "$W/$name.out" || no "$name: the test did not pass: $(tail -n 5 "$W/$name.out")"
}
objects() { (cd "$(bazel_in one info bazel-bin 2> /dev/null)" && find . -name '*.o' -exec sha256sum {} + | sort -k 2); }
text() { printf 'one two Two one three\n' > "$W/text"; "$(bazel_in one info bazel-bin 2> /dev/null)/words" "$W/text"; }

make_workspace one
build plain                        # no decision files yet: Bazel's rules and clang alone
objects > "$W/plain.objects"
text > "$W/plain.text"
[ ! -e "$log" ] || no "plain: the launcher decided something: $(cat "$log")"
[ "$(wc -l < "$W/plain.objects")" -ge 5 ] || no "plain: objects: $(cat "$W/plain.objects")"

strategy=sandboxed
decide 'function(sroa)'
build tuned --spawn_strategy=sandboxed
if ! grep -qE '[0-9]+ (linux|processwrapper)-sandbox' "$W/tuned.out"; then
  strategy=local
fi
echo "spawn strategy: $(grep -oE '[0-9]+ [a-z]+(-sandbox)?\.$' "$W/tuned.out" | head -n 1) ($strategy)"
objects > "$W/tuned.objects"
[ "$(compiled)" = "src/count.cc src/distance.cc src/more/count.cc src/text_test.cc src/words.cc " ] ||
  no "tuned: compiled tuned: $(compiled)"
[ "$(grep -c '"compiled":"tuned"' "$log")" = "$(wc -l < "$log")" ] || no "tuned: not all were: $(cat "$log")"
[ "$(cut -d ' ' -f 3 "$W/plain.objects")" = "$(cut -d ' ' -f 3 "$W/tuned.objects")" ] || no "tuned: other objects"
[ "$(comm -12 <(sort "$W/plain.objects") <(sort "$W/tuned.objects") | wc -l)" = 0 ] ||
  no "tuned: the same as plain: $(comm -12 <(sort "$W/plain.objects") <(sort "$W/tuned.objects"))"
[ "$(text)" = "$(cat "$W/plain.text")" ] || no "tuned: the program says something else: $(text)"

decide 'function(sroa,simplifycfg)'
grep -q ': 1 of 5 decision files changed' "$W/compile.out" || no "one decision: $(cat "$W/compile.out")"
build changed
[ "$(compiled)" = "src/count.cc " ] || no "a changed decision compiled $(compiled)"
[ "$(grep -o "'Compiling [^']*'" "$W/changed.explain" | sort -u)" = "'Compiling src/count.cc'" ] ||
  no "a changed decision ran $(cat "$W/changed.explain")"

# Elsewhere: the same keys and command lines, none of which names a place.
cd "$W" && make_workspace two && decide 'function(sroa,simplifycfg)'
for workspace in one two; do
  bazel_in "$workspace" aquery 'mnemonic("CppCompile|CppLink|CppArchive", //...)' > "$W/$workspace.actions" 2> "$W/$workspace.err" ||
    no "aquery: $(tail -n 5 "$W/$workspace.err")"
done
cmp "$W/one.actions" "$W/two.actions" || no "keys depend on the place: $(diff "$W/one.actions" "$W/two.actions" | head)"
[ "$(grep -c 'hone-decision=hone/decisions/src/' "$W/one.actions")" -ge 5 ] || no "no decisions in $(cat "$W/one.actions")"
! grep -F "$W" "$W/one.actions" || no "an action names the workspace's place"
! grep -F "$BIN" "$W/one.actions" || no "an action names Hone's place"
# Each decision is an input of the compiles of its own source alone.
awk '/^action /{source=$0; sub(/.*Compiling /, "", source); sub(/\x27$/, "", source)}
     /^  Inputs:/ && match($0, /hone\/decisions\/[^],]*/) {
       found = substr($0, RSTART, RLENGTH)
       if (found != "hone/decisions/" source ".hone" || gsub(/\.hone[],]/, "") != 1) print source ": " $0 }
     /^  Mnemonic: CppCompile/ {compiles++} END {if (!compiles) print "no compiles"}' "$W/one.actions" > "$W/strays"
[ ! -s "$W/strays" ] || no "inputs: $(cat "$W/strays")"

# Bazel's own rules and one policy for all.
cd "$W/one" && sed -i 1d BUILD && printf 'exports_files(["all.policy"])\n' >> hone/BUILD && cp policy hone/all.policy
sed -i 's|^hone_toolchain(|&policy = "//hone:all.policy", |' WORKSPACE
build native
[ "$(compiled)" = "src/count.cc src/distance.cc src/more/count.cc src/text_test.cc src/words.cc " ] ||
  no "Bazel's own rules: compiled tuned: $(compiled)"
[ "$(text)" = "$(cat "$W/plain.text")" ] || no "Bazel's own rules: the program says something else"

[ $wrong = 0 ]
