#!/usr/bin/env bash
# With -fprofile-use the file is tuned and the profile still matches the code and shows in the object;
# a profile that does not match, of another kind, or of a compiler that cannot do both, means plain.
# fails with: only_exec
. "$(dirname "$0")/../support.sh"
INLINES="ipsccp,function(sroa,early-cse,simplifycfg),cgscc(inline),function(sroa,gvn,simplifycfg,instcombine<no-verify-fixpoint>)"
cat > main.cc <<'S'
#include <coroutine>
#include <cstdio>
#include <cstring>
struct Numbers {
  struct promise_type {
    int value = 0;
    Numbers get_return_object() { return {std::coroutine_handle<promise_type>::from_promise(*this)}; }
    std::suspend_always initial_suspend() { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    std::suspend_always yield_value(int v) { value = v; return {}; }
    void return_void() {}
    void unhandled_exception() {}
  };
  std::coroutine_handle<promise_type> handle;
};
static Numbers numbers(int n) { for (int i = 0; i < n; ++i) co_yield i; }
extern inline __attribute__((gnu_inline)) int elsewhere(int x) { return x * 7 + 1; }
int twice(int x) { return 2 * x; }
int thrice(int x) { return 3 * x; }
int (*chosen[])(int) = {twice, thrice};
__attribute__((noinline)) int hot(int n) {
  int s = 0;
  for (int i = 0; i < n; ++i) { if (i % 7 == 3) s += chosen[1](i); else s -= elsewhere(i); }
  return s;
}
__attribute__((noinline)) int never(int n) { char b[64]; std::memset(b, n, sizeof b); std::puts(b); return b[n & 63]; }
int main(int argc, char**) {
  long s = 0;
  for (int i = 0; i < 200; ++i) s += hot(i);
  auto r = numbers(100);
  while (r.handle.resume(), !r.handle.done()) s += r.handle.promise().value;
  r.handle.destroy();
  if (argc > 5) s += never(argc);
  std::printf("%ld\n", s);
}
S
# What main.cc leaves to others.
printf 'int elsewhere(int x) { return x * 7 + 1; }\n' > elsewhere.cc
# train MAJOR FOLDER OPTION: a profile of main.cc in FOLDER.
train() {
  mkdir -p "$2" && "clang++-$1" -std=c++20 -O3 "$3" main.cc elsewhere.cc -o "$2/train" &&
    LLVM_PROFILE_FILE="$2/1.profraw" "./$2/train" > "$2/want" &&
    "llvm-profdata-$1" merge "$2/1.profraw" -o "$2/default.profdata" || no "$1: no profile ($3)"
}
has_cold() { objdump -t "$1" | grep -q '\.text\.unlikely.*never'; }
for major in 19 16 15; do
  if ! command -v "clang++-$major" "llvm-profdata-$major" >/dev/null || [ ! -e "$(dirname "$BIN")/lib/libhone_pass-$major.so" ]; then continue; fi
  if ! ls "$("clang++-$major" -print-resource-dir)"/lib/*/libclang_rt.profile* >/dev/null 2>&1; then
    echo "note: clang $major has no profiling run time here"; continue
  fi
  C=clang++-$major COMPILER_MAJOR=$major
  text=$INLINES; [ "$major" = 19 ] || text=${text//<no-verify-fixpoint>/}
  policy "{\"source\":\"*\",\"pipeline\":\"$text\"}"
  for kind in generate instr-generate; do
    P=$kind-$major; train "$major" "$P" -fprofile-$kind
    for option in "-fprofile-use=$P" "-fprofile-instr-use=$P/default.profdata"; do
      "$C" -std=c++20 -O3 "$option" -c main.cc -o plain.o || no "$C: test is wrong"
      cap q "$L" "$C" -std=c++20 -O3 "$option" -c main.cc -o main.o; code q 0 "$C $option"; quiet q.err "$C $option"
      logged '"compiled":"tuned"' "$C $option"
      cap q "$L" "$C" -std=c++20 -O3 -c main.cc -o without.o
      differ without.o main.o "$C $option: with and without a profile"; differ plain.o main.o "$C $option: tuned"
      has_cold plain.o || no "$C: test is wrong, the plain object shows no profile"
      has_cold main.o || no "$C $option: the profile does not show"
      ! nm main.o | grep -q ' T .*elsewhere' || no "$C $option: a function of another file is defined"
      "$C" main.o elsewhere.cc -o main && [ "$(./main)" = "$(cat "$P/want")" ] || no "$C $option: computes something else"
    done
  done
  # Inlined before it is removed.
  cap q "$L" "$C" -std=c++20 -O3 "-fprofile-use=generate-$major" -c main.cc -o main.o
  ! nm -u main.o | grep -q elsewhere || no "$C: nothing is inlined behind the profile"
done

COMPILER_MAJOR=19; policy "{\"source\":\"*\",\"pipeline\":\"$INLINES\"}"; G=generate-19
cp "$G/default.profdata" . ; "$L" "$CLANG" -std=c++20 -O3 -fprofile-use -c main.cc -o a.o; logged '"compiled":"tuned"' "default.profdata"
"$L" "$CLANG" -std=c++20 -O3 -fprofile-use=none.profdata -fno-profile-use -c main.cc -o a.o; logged '"compiled":"tuned"' "taken back"
plain_here() { # WHY REASON OPTIONS...: plain's object and words
  local why=$1 reason=$2; shift 2
  cap p "$CLANG" -std=c++20 -O3 "$@" -o p.o; cap q "$L" "$CLANG" -std=c++20 -O3 "$@" -o q.o
  code q "$(cat p.rc)" "$why"; cmp -s p.err q.err || no "$why: messages differ: $(head -3 q.err)"
  [ ! -e p.o ] || same p.o q.o "$why"
  logged "\"reason\":\"$reason\"" "$why"; rm -f p.o q.o
}
# The same names, other code: the compiler warns that they do not match, ours would be told so as well.
sed 's/if (i % 7 == 3)/for (int j = 0; j < i % 3; ++j) s ^= chosen[0](j);  &/' main.cc > changed.cc
plain_here "a profile that does not match" diagnostics -fprofile-use=$G -c changed.cc
plain_here "that again" diagnostics -fprofile-use=$G -c changed.cc; logged '"cpu_seconds":0.000' "that again"
plain_here "no profile" instrumented -fprofile-use=none.profdata -c main.cc
plain_here "link time" instrumented -fprofile-use=$G -flto -c main.cc
"$L" "$CLANG" -std=c++20 -O3 -fprofile-use=$G -flto -fno-lto -c main.cc -o a.o; logged '"compiled":"tuned"' "no link time"
# Context-sensitive: read a second time after inlining.
mkdir cs && "$CLANG" -std=c++20 -O2 -fcs-profile-generate -fprofile-use=$G main.cc elsewhere.cc -o cs/train &&
  LLVM_PROFILE_FILE=cs/1.profraw ./cs/train > cs/out && llvm-profdata-19 merge cs/1.profraw $G/default.profdata -o cs/default.profdata || no "no context-sensitive profile"
plain_here "context-sensitive" instrumented -fprofile-use=cs -c main.cc
plain_here "both" instrumented -fprofile-use=$G -fcs-profile-generate=x -c main.cc
# Knobs alone leave the pipeline to the compiler.
policy '{"source":"*","pipeline":"default<O3>","knobs":{"inline-threshold":"50"}}'
for p in $G cs; do cap q "$L" "$CLANG" -std=c++20 -O3 -fprofile-use=$p -c main.cc -o k.o; logged '"compiled":"tuned"' "knobs, $p"; has_cold k.o || no "knobs, $p: the profile does not show"; done
if command -v clang++-14 >/dev/null && [ -e "$(dirname "$BIN")/lib/libhone_pass-14.so" ]; then
  COMPILER_FAMILY=clang COMPILER_MAJOR=14; policy '{"source":"*","pipeline":"function(sroa,gvn)"}'
  command -v llvm-profdata-14 >/dev/null && { printf 'int f(int x) { return x + 1; }\n' > f.cc; printf ':ir\nf\n0\n1\n1\n\n' > t.txt; llvm-profdata-14 merge t.txt -o t.profdata && "$L" clang++-14 -O3 -fprofile-use=t.profdata -Wno-backend-plugin -c f.cc -o f.o; logged '"reason":"instrumented"' "14"; }
fi
exit $bad
