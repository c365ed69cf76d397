#!/usr/bin/env bash
# A module with coroutines is tuned like any other and computes the same, in both modes; LLVM 14 cannot
# split them around our pipeline: there the file is compiled plain, and tried once only.
# fails with: only_exec
. "$(dirname "$0")/../support.sh"
cat > main.cc <<'S'
#include <coroutine>
#include <cstdio>
#include <exception>
#include <utility>
#include <vector>
template <class T> struct Generator {
  struct promise_type {
    T value{}; std::exception_ptr error;
    Generator get_return_object() { return Generator{std::coroutine_handle<promise_type>::from_promise(*this)}; }
    std::suspend_always initial_suspend() { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    std::suspend_always yield_value(T v) { value = std::move(v); return {}; }
    void return_void() {}
    void unhandled_exception() { error = std::current_exception(); }
  };
  explicit Generator(std::coroutine_handle<promise_type> h) : handle(h) {}
  Generator(Generator&& other) : handle(std::exchange(other.handle, {})) {}
  ~Generator() { if (handle) handle.destroy(); }
  bool next() {
    handle.resume();
    if (handle.promise().error) std::rethrow_exception(handle.promise().error);
    return !handle.done();
  }
  T value() const { return handle.promise().value; }
  std::coroutine_handle<promise_type> handle;
};
static Generator<int> range(int n) { for (int i = 0; i < n; ++i) co_yield i; }
static Generator<long> squares(int n) { auto r = range(n); while (r.next()) co_yield long(r.value()) * r.value(); }
static Generator<int> throwing() { co_yield 1; throw 42; }
static Generator<std::vector<int>> rows(int n) {
  std::vector<int> row{1};
  for (int i = 0; i < n; ++i) {
    co_yield row;
    std::vector<int> below{1};
    for (std::size_t j = 0; j + 1 < row.size(); ++j) below.push_back(row[j] + row[j + 1]);
    below.push_back(1);
    row = std::move(below);
  }
}
int main() {
  long sum = 0;
  auto s = squares(1000); while (s.next()) sum += s.value();
  auto r = rows(20); while (r.next()) for (int x : r.value()) sum += x;
  { auto unfinished = squares(10); unfinished.next(); }
  auto t = throwing(); t.next();
  try { t.next(); } catch (int e) { sum += e; }
  std::printf("%ld\n", sum);
}
S
want=$("$CLANG" -std=c++20 -O3 main.cc -o plain && ./plain) || no "the plain program fails"
for pipeline in "$PIPELINE" 'function(sroa)' 'cgscc(inline),function(sroa,early-cse<memssa>,gvn,loop(indvars),loop-mssa(licm),simplifycfg,adce)' 'function(reg2mem),cgscc(inline),globaldce'; do
  policy "{\"source\":\"*\",\"pipeline\":\"$pipeline\"}"
  for mode in plain error; do
    export HONE_ON_FAILURE=$mode
    cap q "$L" "$CLANG" -std=c++20 -O3 -c main.cc -o main.o; code q 0 "$mode, $pipeline"; quiet q.err "$mode"
    logged '"compiled":"tuned"' "$mode, $pipeline"
    "$CLANG" main.o -o main && [ "$(./main)" = "$want" ] || no "$mode, $pipeline: the program computes something else"
  done
done
if command -v clang++-14 >/dev/null && [ -e "$(dirname "$BIN")/lib/libhone_pass-14.so" ]; then
  COMPILER_MAJOR=14; policy '{"source":"*","pipeline":"function(sroa,gvn)"}'; export HONE_ON_FAILURE=plain
  clang++-14 -std=c++20 -O3 -c main.cc -o plain.o 2>/dev/null || exit $bad
  for time in first second; do
    cap q "$L" clang++-14 -std=c++20 -O3 -c main.cc -o a.o; code q 0 "14, $time"; same plain.o a.o "14: the object"; logged '"reason":"coroutines"' "14, $time"
  done
  logged '"cpu_seconds":0.000' "14: tried again"
fi
exit $bad
