#!/usr/bin/env bash
# A module with coroutines is compiled plain, in both modes, and tried once only.
# fails with: only_exec
. "$(dirname "$0")/../support.sh"
tune_all
printf '#include <coroutine>\nstruct T { struct promise_type { T get_return_object() { return {}; } std::suspend_never initial_suspend() { return {}; } std::suspend_never final_suspend() noexcept { return {}; } void return_void() {} void unhandled_exception() {} }; };\nT f() { co_return; }\n' > a.cc
"$CLANG" -std=c++20 -O3 -c a.cc -o plain.o
for mode in plain error; do
  export HONE_ON_FAILURE=$mode; rm -rf state a.o
  cap q "$L" "$CLANG" -std=c++20 -O3 -c a.cc -o a.o
  code q 0 $mode; quiet q.err $mode; same plain.o a.o "$mode: the object"; logged '"reason":"coroutines"' $mode; logged '"compiled":"plain"' $mode
  case "$(last)" in *failure*) no "$mode: counted as a failure";; esac
  "$L" "$CLANG" -std=c++20 -O3 -c a.cc -o a.o; logged '"reason":"coroutines"' "$mode, again"; logged '"cpu_seconds":0.000' "$mode: tried again"
done
printf 'int f(int x) { return x * 2; }\n' > a.cc; "$L" "$CLANG" -std=c++20 -O3 -c a.cc -o a.o; logged '"compiled":"tuned"' "after the file has changed"
exit $bad
