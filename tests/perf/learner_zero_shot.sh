#!/usr/bin/env bash
# The general policy on two products never seen: libdeflate (C) and pugixml (C++), Debian's sources, eight
# benchmarks. Each product is built by clang 19 at -O3 and the same with the installed general policy
# (`hone policy general`), everything else alike, eight links of each program; outputs must be equal.
#
#   learner_zero_shot.sh [--collect] [--verify] [--out DIR] [--bin DIR]
#
#   --collect   keep sources, builds and results that are there, measure only what is missing
#   --verify    measure the builds that are there on fresh pairs; sizes and cost as they are
#   --out DIR   results [build/learner_zero_shot]
#   --bin DIR   folder of `hone`, `hone-cc`, `hone-link` [build/release/bin if it is there, else build/dev/bin]
#
# HONE_PAIRS sets other pairs at most than 96. Run time is CPU time, by `hone bench`. What choosing costs is
# the CPU time of a compile whose tree ends at the compiler's own pipeline everywhere, against the plain
# compile. Prints a line a benchmark, figures last. Exit 1 if the policy was trained on one of the products;
# if outputs differ; if a benchmark is slower beyond noise (the whole interval below 0, and again on fresh
# pairs); if neither size nor time is better on most; or if choosing costs over 3 % of compile time.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
products="libdeflate pugixml"
benchmarks="libdeflate/compress-1 libdeflate/compress-6 libdeflate/compress-9 libdeflate/decompress
            pugixml/parse pugixml/walk pugixml/xpath pugixml/save"
out=$root/build/learner_zero_shot bin= collect=no verify=no
while [ $# -gt 0 ]; do
  case $1 in
    --collect) collect=yes; shift ;;
    --verify) verify=yes; shift ;;
    --out) out=${2:?--out needs a folder}; shift 2 ;;
    --bin) bin=${2:?--bin needs a folder}; shift 2 ;;
    *) sed -n '2,19s/^# \{0,1\}//p' "$0" >&2; exit 2 ;;
  esac
done
for folder in "$root/build/release/bin" "$root/build/dev/bin"; do
  [ -n "$bin" ] || [ ! -x "$folder/hone" ] || bin=$folder
done
for program in hone hone-cc hone-link; do
  [ -x "$bin/$program" ] || { echo "learner_zero_shot.sh: no $program in '$bin': build it first" >&2; exit 2; }
done
for tool in clang-19 jq readelf; do
  command -v $tool > /dev/null || { echo "learner_zero_shot.sh: no $tool (deploy/install_packages.sh --perf)" >&2; exit 2; }
done
pairs=${HONE_PAIRS:-96}
bin=$(cd "$bin" && pwd)
hone=$bin/hone
export LC_ALL=C
unset HONE_POLICY HONE_ROOT HONE_STATE_DIR HONE_ON_FAILURE HONE_PLUGIN_DIR
[ "$collect$verify" != nono ] || rm -rf "$out"
mkdir -p "$out/results"
out=$(cd "$out" && pwd)
cd "$out"

# 1. Never seen: neither stands in the policy's card.
document=$("$hone" policy general --document)
for product in $products; do
  ! jq -e --arg p "/$product/" '.card.levels[].programs | any(contains($p))' "$document" > /dev/null ||
    { echo "learner_zero_shot.sh: the general policy was trained on $product" >&2; exit 1; }
done

# 2. Sources and inputs, which depend on the sources' versions alone.
[ -d sources/pugixml ] || bash "$root/deploy/debian_source.sh" sources $products >&2
if [ ! -s text.gz ]; then
  find sources -name '*.[ch]' -o -name '*.cpp' -o -name '*.md' -o -name '*.txt' | sort | xargs cat > text.new
  cat text.new text.new text.new > text.long
  head -c 6000000 text.long > text
  rm text.new text.long
  gzip -9 -n < text > text.gz
fi
[ -s items.xml ] || awk 'BEGIN { srand(7); print "<items>"
  for (i = 0; i < 12000; ++i) {
    printf " <item id=\"%d\" on=\"%d\"><name>item &amp; %d</name><price>%.2f</price>", i, i % 3, i * 7919 % 1000, i * 7919 % 100000 / 100
    for (j = 0; j < 4; ++j) printf "<tag key=\"%c%d\"/>", 97 + (i * 31 + j * 7) % 26, j
    print "</item>" }
  print "</items>" }' > items.xml

# 3. Builds: SIDE is plain or general.
compile() { # SIDE COMPILER ARGUMENTS...
  local side=$1; shift
  if [ "$side" = plain ]; then "$@"; else
    HONE_POLICY=$("$hone" policy general) HONE_ROOT=$out/sources HONE_STATE_DIR=$out/state "$bin/hone-cc" "$@"
  fi
}
units() { # PRODUCT: lines "SOURCE COMPILER OPTIONS..."
  case $1 in
    libdeflate) for f in lib/*.c lib/x86/*.c programs/gzip.c programs/prog_util.c programs/tgetopt.c; do
                  echo "$f clang-19 -std=c99 -D_POSIX_C_SOURCE=200809L -D_FILE_OFFSET_BITS=64 -DHAVE_CONFIG_H -I. -Iconfig"; done ;;
    pugixml) echo "src/pugixml.cpp clang++-19 -std=c++17"
             echo "$root/tests/perf/learner/zero_shot_pugixml.cc clang++-19 -std=c++17 -Isrc" ;;
  esac
}
build() { # PRODUCT SIDE
  local target=$out/$2/$1 k unit object objects=()
  [ ! -e "$target/app7" ] || return 0
  rm -rf "$target" && mkdir -p "$target"
  cd "sources/$1"
  [ "$1" != libdeflate ] || { mkdir -p config && CC=clang-19 sh scripts/detect.sh > config/config.h; }
  while read -r -a unit; do
    object=$target/$(basename "${unit[0]}").o
    [ ! -e "$object" ] || object=$target/$(basename "$(dirname "${unit[0]}")")-$(basename "${unit[0]}").o
    objects+=("$object")
    compile "$2" "${unit[@]:1}" -O3 -DNDEBUG -c "${unit[0]}" -o "$object"
  done < <(units "$1")
  cd "$out"
  HONE_LINK_PROGRAM=app HONE_LINK_COPIES=7 "$bin/hone-link" clang++-19 "${objects[@]}" -o "$target/app"
  ln "$target/app" "$target/app0"
  for k in 1 2 3 4 5 6 7; do ln "$target/app.hone-link-$k" "$target/app$k"; done
}
[ -e plain/pugixml/app7 ] && [ -e general/pugixml/app7 ] || rm -rf state
for product in $products; do build "$product" plain; build "$product" general; done
text_of() { # FILE: bytes of its executable sections
  local sum=0 size
  for size in $(readelf -SW "$1" | awk '{ sub(/^ *\[ *[0-9]+\] */, "") } $2 == "PROGBITS" && $7 ~ /X/ { print $5 }'); do
    sum=$((sum + 16#$size))
  done
  echo $sum
}

# 4. Run time.
command_of() { # BENCHMARK SIDE
  case $1 in
    libdeflate/compress-*) echo "$2/libdeflate/app{link} -${1##*-} -c text" ;;
    libdeflate/decompress) echo "$2/libdeflate/app{link} -d -c $(yes text.gz | head -n 12 | tr '\n' ' ')" ;;
    pugixml/*) echo "$2/pugixml/app{link} ${1#*/} items.xml" ;;
  esac
}
compare() { # NAME BASELINE CANDIDATE [OPTIONS...]
  local name=$1 baseline=$2 candidate=$3 status=0
  shift 3
  [ ! -s "results/$name.json" ] || return 0
  mkdir -p "$(dirname "results/$name")"
  "$hone" bench --baseline "$baseline" --candidate "$candidate" "$@" --json \
    > "results/$name.new" 2> "results/$name.err" || status=$?
  case $status in
    0 | 10) mv "results/$name.new" "results/$name.json" ;;
    *) echo "WRONG: $name: hone bench ended with $status: $(head -c 600 "results/$name.err" "results/$name.new")"; exit 1 ;;
  esac
}
field() { jq -r "$2" "results/$1.json"; }
[ $verify = no ] || rm -rf results/libdeflate results/pugixml results/again
seed=11; [ $verify = no ] || seed=12
all=0 better=0 slower=0
printf '%-24s %-13s %5s  %-24s %9s %9s %8s\n' benchmark time pairs 'faster by' 'text -O3' general size
for benchmark in $benchmarks; do
  compare "$benchmark" "$(command_of "$benchmark" plain)" "$(command_of "$benchmark" general)" --links 8 --pairs "$pairs" --seed "$seed"
  worse=no
  if jq -e '.reward.high < 0' "results/$benchmark.json" > /dev/null; then
    compare "again/$benchmark" "$(command_of "$benchmark" plain)" "$(command_of "$benchmark" general)" --links 8 --pairs "$pairs" --seed 99
    ! jq -e '.reward.high < 0' "results/again/$benchmark.json" > /dev/null || worse=yes
  fi
  product=${benchmark%%/*}
  before=$(text_of "plain/$product/app0") after=$(text_of "general/$product/app0")
  printf '%-24s %-13s %5s  %-24s %9s %9s %+7.2f%%%s\n' "$benchmark" "$(field "$benchmark" .verdict)" "$(field "$benchmark" .reward.pairs)" \
    "$(printf '%+.2f %% [%+.2f, %+.2f]' $(field "$benchmark" '.reward | .value * 100, .low * 100, .high * 100'))" "$before" "$after" \
    "$(jq -n "($after / $before - 1) * 100")" "$([ $worse = no ] || echo '  slower, and again on fresh pairs')"
  all=$((all + 1))
  [ $worse = no ] || slower=$((slower + 1))
  if [ "$after" -lt "$before" ] || [ "$(field "$benchmark" .verdict)" = faster ]; then better=$((better + 1)); fi
done

# 5. What choosing costs: the same model, every leaf the compiler's own pipeline. Beside it what a compile takes
# with what is really chosen; of pugixml.cpp, which takes seconds, the former alone.
model=$(jq -r '.rules[] | select(.levels == ["O3"]) | .choice | map(sub("^leaf .*"; "leaf 0")) | join("|")' "$document")
plugin=$(realpath "$bin/../lib/libhone_pass-19.so" 2> /dev/null || realpath "$bin/../lib/hone/libhone_pass-19.so")
general=$(jq -r '.rules[] | select(.levels == ["O3"]) | .choice | join("|")' "$document")
choosing() { echo "-fplugin=$plugin -fpass-plugin=$plugin -mllvm '-use-hone-choice=$1'"; }
more() { # NAME: compile time in per cent of the plain one's
  printf '%+.2f %% [%+.2f, %+.2f]' $(field "$1" '.reward | (-.value | exp) * 100 - 100, (-.high | exp) * 100 - 100, (-.low | exp) * 100 - 100')
}
echo
printf '%-34s %9s  %-26s %s\n' 'compile, CPU time' seconds 'choosing costs' 'with what was chosen'
for source in libdeflate/lib/deflate_compress.c libdeflate/lib/deflate_decompress.c libdeflate/programs/gzip.c pugixml/src/pugixml.cpp; do
  case $source in
    *.c) cost_pairs=24 one="clang-19 -O3 -DNDEBUG -std=c99 -D_POSIX_C_SOURCE=200809L -D_FILE_OFFSET_BITS=64 -DHAVE_CONFIG_H -Isources/libdeflate -Isources/libdeflate/config -c sources/$source -o $out/cost.o" ;;
    *) cost_pairs=12 one="clang++-19 -O3 -DNDEBUG -std=c++17 -c sources/$source -o $out/cost.o" ;;
  esac
  name=cost/$(basename "$source") chosen=
  compare "$name-choosing" "$one" "$one $(choosing "$model")" --pairs $cost_pairs
  if [ $cost_pairs = 24 ]; then
    compare "$name-chosen" "$one" "$one $(choosing "$general")" --pairs $cost_pairs
    chosen=$(more "$name-chosen")
  fi
  printf '%-34s %9.3f  %-26s %s\n' "$source" "$(field "$name-choosing" '[.samples[] | select(.role == "baseline") | .value] | sort | .[length / 2 | floor]')" \
    "$(more "$name-choosing")" "$chosen"
done
cost=$(jq -s '[.[].reward.value] | ((-add / length) | exp) * 100 - 100' results/cost/*-choosing.json)

echo
HONE_STATE_DIR=$out/state "$bin/hone-cc" --stats | sed -n '1,/plain/p'
printf 'choosing costs %.2f %% of compile time, geometric mean (at most 3)\n' "$cost"
echo "slower beyond noise: $slower of $all (none may be); size or time better on $better of $all (more than half)"
[ "$slower" = 0 ] && [ $((2 * better)) -gt "$all" ] && jq -en "$cost <= 3" > /dev/null
