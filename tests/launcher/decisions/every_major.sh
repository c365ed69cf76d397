#!/usr/bin/env bash
# clang 14, 15 and 16 as clang 19: O3's own pipeline inside the plugin gives the same object, a pipeline
# of ours another that computes the same, and a plugin never meets a compiler of another major.
# fails with: only_exec
. "$(dirname "$0")/../support.sh"
PLUGINS=$(dirname "$BIN")/lib
cat > a.cc <<'S'
#include <algorithm>
#include <cstdio>
#include <map>
#include <string>
#include <vector>
int main() {
  std::map<std::string, std::vector<int>> m; unsigned x = 7;
  for (int i = 0; i < 5000; ++i) { x = x * 1103515245 + 12345; m[std::to_string(x % 97)].push_back(int(x >> 16)); }
  long h = 0;
  for (auto& [k, v] : m) { std::sort(v.begin(), v.end()); for (int y : v) h = h * 31 + y + long(k.size()); }
  std::printf("%ld\n", h);
}
S
tried=0
for major in 14 15 16; do
  cc=clang++-$major
  command -v $cc >/dev/null && [ -e "$PLUGINS/libhone_pass-$major.so" ] || continue
  tried=$((tried + 1)); COMPILER_MAJOR=$major
  $cc -std=c++17 -O3 -c a.cc -o plain.o; $cc plain.o -o plain; want=$(./plain)
  policy '{"source":"*","pipeline":"default<O3>"}'
  HONE_TEST_FORCE_PLUGIN=1 "$L" $cc -std=c++17 -O3 -c a.cc -o a.o || no "$major: forced failed"
  logged '"compiled":"tuned"' "$major, forced"; same plain.o a.o "$major: O3 in the plugin"
  policy "{\"source\":\"*\",\"pipeline\":\"function(sroa,early-cse,simplifycfg),cgscc(inline),function(sroa,gvn,instcombine,simplifycfg)\",\"knobs\":{\"unroll-count\":\"2\"}}"
  cap q env HONE_ON_FAILURE=error "$L" $cc -std=c++17 -O3 -c a.cc -o a.o; code q 0 "$major"; quiet q.err "$major"
  logged '"compiled":"tuned"' $major; differ plain.o a.o "$major: the object"
  $cc a.o -o a && [ "$(./a)" = "$want" ] || no "$major: the program computes something else"
  "$L" "$CLANG" -O3 -c a.cc -o a.o; logged '"reason":"no_rule"' "clang 19 under a policy for $major"
done
[ $tried -gt 0 ] || { echo "SKIP: no clang 14, 15 or 16 with its plugin"; exit 77; }
exit $bad
