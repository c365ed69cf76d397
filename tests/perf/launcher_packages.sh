#!/usr/bin/env bash
# The launcher on twenty real products: Debian source packages (CMake, autotools, make), each built
# with clang 19 at -O3 plain, passing through (no policy), forced (O3's own pipeline inside the
# plugin), tuned (a rule for every file) and faulty (some pipelines crash, one hangs; CPU limit 1 s).
# Every build must succeed, print what plain prints and pass the tests that plain passes; passing
# through, forced and faulty objects must be plain's byte for byte; at least 95 % of the eligible
# compiles must be tuned; CPU time of the builds, summed: forced at most 1.02 of plain, passing
# through at most 1.01.
#
#   launcher_packages.sh [--only NAME]... [--collect] [--verify] [--out DIR] [--bin DIR] [--rounds N]
#
#   --only NAME   only this package (again for more)
#   --collect     keep results of packages that are finished, and the programs they were made with
#   --verify      measures seven small packages afresh, four rounds, in DIR-verify
#   --out DIR     results, sources and trees [build/launcher_packages]
#   --bin DIR     hone-cc and compile_policy [build/dev/bin]
#   --rounds N    builds of each measured way, in alternating order [2]
#
# CPU is user and system time of the build and its children, without configure and tests. One line a
# package, then a table, the figures last; exit code 1 when it falls short.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
all="zlib bzip2 lz4 libdeflate jansson lua5.4 libyaml snappy double-conversion xz-utils libpng brotli
  libjpeg-turbo zstd pugixml sqlite3 re2 leveldb fmt yaml-cpp"
only='' collect=no verify=no out=$root/build/launcher_packages bin=$root/build/dev/bin rounds=2 jobs=$(nproc)
while [ $# -gt 0 ]; do
  case $1 in
    --only) only="$only $2"; shift 2 ;;
    --collect) collect=yes; shift ;;
    --verify) verify=yes; shift ;;
    --out) out=$2; shift 2 ;;
    --bin) bin=$2; shift 2 ;;
    --rounds) rounds=$2; shift 2 ;;
    *) sed -n '2,/^set /{/^set /d;s/^# \{0,1\}//p}' "${BASH_SOURCE[0]}" >&2; exit 2 ;;
  esac
done
if [ $verify = yes ]; then
  only=${only:-zlib bzip2 lz4 libdeflate jansson lua5.4 xz-utils} rounds=4 out=$out-verify
fi
mkdir -p "$out/results"
out=$(cd "$out" && pwd) bin=$(cd "$bin" && pwd)
programs=$out/programs sources=$out/sources
exec 9> "$out/lock"
flock -n 9 || { echo "launcher_packages: another run works in $out" >&2; exit 1; }
unset "${!HONE_@}" "${!MAKE@}" CC CXX CFLAGS CXXFLAGS CPPFLAGS LDFLAGS DESTDIR
export LC_ALL=C SOURCE_DATE_EPOCH=1700000000
. "$root/tests/support/products/build_ways.sh"
. "$root/tests/support/products/verdict.sh"

# Copies, so that a build of Hone beside this run changes nothing.
if [ $collect = no ] || [ ! -x "$programs/hone-cc" ]; then
  rm -rf "$programs"
  mkdir -p "$programs/faulty"
  cp "$bin/hone-cc" "$bin/compile_policy" "$bin/../lib/libhone_pass-19.so" "$programs/"
  cp "$bin/../tests/faulty/libhone_pass-19.so" "$programs/faulty/"
fi

# All ways of one package. The measured ones alternate; the last round is the one that is tested.
measure() { # NAME
  local way round order tested
  rm -rf "$results" "$out/configured"
  mkdir -p "$results"
  write_policy forced '{"source":"*","pipeline":"default<O3>"}'
  write_policy tuned "{\"source\":\"*\",\"pipeline\":\"$tuned_pipeline\"}"
  for ((round = 1; round <= rounds; round++)); do
    order="plain pass forced"
    if ((round % 2 == 0)); then order="forced pass plain"; fi
    for way in $order; do
      build_way "$way" || return 0
      if ((round == rounds)); then test_way "$way"; fi
    done
  done
  for way in tuned faulty; do
    if [ "$way" = faulty ]; then write_policy faulty "$(faulty_rules)" 1; fi
    build_way "$way" || return 0
    test_way "$way"
  done
}

ratio() { awk -v a="$1" -v b="$2" 'BEGIN { printf "%.4f", (b > 0 ? a / b : 0) }'; }
describe() { # NAME
  local plain
  plain=$(field "$1" plain_cpu)
  printf '%-18s' "$1"
  if [ -n "$plain" ]; then
    printf ' %7.1f s  pass %s  forced %s  ' "$plain" "$(ratio "$(field "$1" pass_cpu)" "$plain")" \
      "$(ratio "$(field "$1" forced_cpu)" "$plain")"
    printf 'tuned %s/%s  crashes %s hangs %s  ' "$(field "$1" tuned_compiles)" \
      "$(field "$1" tuned_eligible)" "$(field "$1" crashes)" "$(field "$1" hangs)"
    printf '%s objects, %s messages, %s tests' "$(field "$1" objects)" "$(field "$1" messages)" \
      "$(field "$1" tests)"
  fi
  if [ -z "$(field "$1" wrong)" ]; then echo "  right"; return; fi
  printf '  WRONG\n'
  field "$1" wrong | sed 's/^/    /'
}

chosen=${only:-$all}
for name in $chosen; do
  results=$out/results/$name
  [ -e "$products/$name.sh" ] || { echo "launcher_packages: no package $name" >&2; exit 2; }
  if [ $collect = no ] || [ ! -e "$results/verdict" ]; then
    source_package=$(source_package=$name && . "$products/$name.sh" && echo "$source_package")
    if [ ! -d "$sources/$source_package" ]; then
      "$root/deploy/debian_source.sh" "$sources" "$source_package" > /dev/null
    fi
    measure "$name"
    judge > "$results/verdict.new"
    mv "$results/verdict.new" "$results/verdict"
    rm -rf "$tree" "$out/configured"
  fi
  describe "$name"
done

echo
sum() { for name in $chosen; do field "$name" "$1"; done | awk '{ s += $1 } END { print s + 0 }'; }
count=0 wrong=0
for name in $chosen; do
  describe "$name"
  count=$((count + 1))
  if [ -n "$(field "$name" wrong)" ]; then wrong=$((wrong + 1)); fi
done
pass=$(ratio "$(sum pass_cpu)" "$(sum plain_cpu)") forced=$(ratio "$(sum forced_cpu)" "$(sum plain_cpu)")
echo
echo "packages right:        $((count - wrong)) of $count"
echo "compiles tuned:        $(sum tuned_compiles) of $(sum tuned_eligible) eligible"
echo "crashes and hangs:     $(sum crashes) and $(sum hangs), each followed by the plain compile"
echo "CPU of plain builds:   $(sum plain_cpu) s in all rounds"
echo "pass-through CPU:      $pass of plain (at most 1.01)"
echo "forced plugin CPU:     $forced of plain (at most 1.02)"
[ $wrong = 0 ] && awk -v pass="$pass" -v forced="$forced" \
  'BEGIN { exit !(pass > 0 && pass <= 1.01 && forced > 0 && forced <= 1.02) }'
