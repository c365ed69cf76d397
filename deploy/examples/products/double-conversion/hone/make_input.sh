#!/bin/sh
# make_input.sh FILE: 150,000 decimal numbers, one a line, from a fixed seed: prices, measurements with
# 9 and full-length ones with 17 digits, and large exponents. Integer arithmetic only, so every awk
# writes the same bytes.
set -eu
cd "$(dirname "$0")/.."
out=hone/numbers.txt
[ $# -eq 0 ] || out=$1
awk '
  function draw(bound) {  # Park and Miller 1988; below 2^53, so exact in awk
    state = (state * 48271) % 2147483647
    return state % bound
  }
  BEGIN {
    state = 20261127
    for (i = 0; i < 150000; i++) {
      sign = draw(4) == 0 ? "-" : ""
      kind = draw(4)
      if (kind == 0)
        printf "%s%d.%02d\n", sign, draw(100000), draw(100)
      else if (kind == 1)
        printf "%s%d.%04d%04d\n", sign, draw(10), draw(10000), draw(10000)
      else if (kind == 2)
        printf "%s%d.%08d%08d\n", sign, 1 + draw(9), draw(100000000), draw(100000000)
      else
        printf "%s%d.%08d%04de%d\n", sign, 1 + draw(9), draw(100000000), draw(10000), draw(600) - 300
    }
  }' > "$out.part"
mv "$out.part" "$out"
