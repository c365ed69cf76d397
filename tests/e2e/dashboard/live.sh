#!/bin/bash
# Tunes a small product in a fresh Hone while a browser watches its campaign: live.sh BIN WORK (of dashboard.sh).
# The page must show the campaign racing, more and more candidates, and its end, without being loaded again.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")/../../.." && pwd)
[ $# = 2 ] || { echo "live.sh BIN WORK" >&2; exit 2; }
work=$2
HONE_BIN=$1
. "$here/tests/support/world.sh"
set -e
world_up
mkdir -p "$W/product"
cat > "$W/product/main.c" <<'C'
#include <stdio.h>
#include <string.h>
int main(void) {
  static unsigned char sieve[400000];
  unsigned long sum = 0;
  for (int round = 0; round < 20; ++round) {
    memset(sieve, 1, sizeof sieve);
    for (unsigned i = 2; i < sizeof sieve; ++i)
      if (sieve[i]) { sum += i; for (unsigned j = i * 2; j < sizeof sieve; j += i) sieve[j] = 0; }
  }
  printf("%lu\n", sum);
}
C
cat > "$W/product/CMakeLists.txt" <<'C'
cmake_minimum_required(VERSION 3.20)
project(sieve C)
add_executable(sieve main.c)
C
cat > "$W/product/hone.yaml" <<'C'
name: sieve
build:
  cmake: {targets: [sieve]}
  binaries: [sieve]
benchmark:
  command: ["{build}/sieve"]
  timeout_seconds: 30
tune:
  include: ["*.c"]
C
chmod -R a+rX "$W/product"
"$BIN/hone" tune "$W/product" --budget 6 --output "$W" > "$W/tune.out" 2>&1 &
tune=$!
status=0
node "$work/tests/e2e/dashboard/live.mjs" --url "$HONE_URL" --token-file "$HONE_TOKEN_FILE" || status=1
wait "$tune" || { code=$?; [ "$code" = 10 ] || { tail -n 20 "$W/tune.out"; status=1; }; }
world_down
exit "$status"
