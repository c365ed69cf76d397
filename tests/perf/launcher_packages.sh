#!/usr/bin/env bash
# The launcher on twenty real products: Debian source packages (CMake, autotools, make), each built
# with clang 19 at -O3 plain, passing through (no policy), forced (O3's own pipeline inside the
# plugin), tuned (a rule for every file) and faulty (some pipelines crash, one hangs; CPU limit 1 s).
# Every build must succeed, print what plain prints and pass the tests that plain passes; passing
# through, forced and faulty objects must be plain's byte for byte; at least 95 % of the eligible
# compiles must be tuned; CPU time of the compiles over all packages: forced at most 1.02 of plain,
# passing through at most 1.01.
#
#   launcher_packages.sh [--only NAME]... [--collect] [--verify] [--out DIR] [--bin DIR] [--rounds N]
#                        [--compiles N]
#
#   --only NAME   only this package (again for more)
#   --collect     keep results of packages that are finished, and the programs they were made with
#   --verify      measures seven small packages afresh, in DIR-verify
#   --out DIR     results, sources and trees [build/launcher_packages]
#   --bin DIR     hone-cc and compile_policy [build/dev/bin]
#   --rounds N    runs of each compile in each way, when their CPU time is compared [7]
#   --compiles N  compiles of a package that are compared, spread evenly over all of them [8]
#
# Whole builds of the same package differ by 10 % on a shared machine, so that CPU time is compared
# compile by compile: each in all ways, one after the other, in random order. It is user and system
# time of the compiler and its launcher; a compile counts by what it costs (build_cost.py, which
# gives the 95 % interval too). One CPU time of a compiler is off by 10 to 20 % on such a machine, and
# even 960 rounds leave the figure a percent or two. Instructions are exact: callgrind counts those of
# one compile a package, forced and plain (what the kernel does is not in them; the launcher's own exec
# and fork are in launcher_cost.sh). They are held against the same bound. One line a package, then a
# table, the figures last; exit code 1 when one falls short.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
all="zlib bzip2 lz4 libdeflate jansson lua5.4 libyaml snappy double-conversion xz-utils libpng brotli
  libjpeg-turbo zstd pugixml sqlite3 re2 leveldb fmt yaml-cpp"
only='' collect=no verify=no out=$root/build/launcher_packages bin=$root/build/dev/bin rounds=7 compiles=8 jobs=$(nproc)
while [ $# -gt 0 ]; do
  case $1 in
    --only) only="$only $2"; shift 2 ;;
    --collect) collect=yes; shift ;;
    --verify) verify=yes; shift ;;
    --out) out=$2; shift 2 ;;
    --bin) bin=$2; shift 2 ;;
    --rounds) rounds=$2; shift 2 ;;
    --compiles) compiles=$2; shift 2 ;;
    *) sed -n '2,/^set /{/^set /d;s/^# \{0,1\}//p}' "${BASH_SOURCE[0]}" >&2; exit 2 ;;
  esac
done
if [ $verify = yes ]; then
  only=${only:-zlib bzip2 lz4 libdeflate jansson lua5.4 xz-utils} out=$out-verify
fi
mkdir -p "$out/results"
out=$(cd "$out" && pwd) bin=$(cd "$bin" && pwd)
programs=$out/programs sources=$out/sources
exec 9> "$out/lock"
flock -n 9 || { echo "launcher_packages: another run works in $out" >&2; exit 1; }
command -v valgrind > /dev/null ||
  { echo "launcher_packages: no valgrind here (deploy/install_packages.sh --perf)" >&2; exit 1; }
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

# All ways of one package.
measure() {
  local way
  rm -rf "$results"
  mkdir -p "$results"
  write_policy forced '{"source":"*","pipeline":"default<O3>"}'
  write_policy tuned "{\"source\":\"*\",\"pipeline\":\"$tuned_pipeline\"}"
  for way in plain pass forced tuned faulty; do
    if [ "$way" = faulty ]; then write_policy faulty "$(faulty_rules)" 1; fi
    build_way "$way" || return 0
    test_way "$way"
  done
}

# What the launcher costs, on the package's own compiles.
measure_cost() {
  rm -rf "$out/notes" "$results/cost"
  mkdir -p "$out/notes"
  write_policy forced '{"source":"*","pipeline":"default<O3>"}'
  build_way noted || { echo "wrong=noted: build failed" >> "$results/verdict"; return 0; }
  HONE_ROOT=$tree "$products/compile_cost.py" "$out/notes" "$programs/hone-cc" "$out/forced.policy" \
    "$rounds" "$compiles" > "$results/cost.new"
  mv "$results/cost.new" "$results/cost"
}

# A build's figure from the costs of packages: of a WAY the ratio and its interval, or another line of build_cost.py.
cost_of() { "$products/build_cost.py" "${@:2}" | sed -n "s/^$1 //p"; } # LINE COST...
describe() { # NAME
  local cost=$out/results/$1/cost
  printf '%-18s' "$1"
  if [ -s "$cost" ]; then
    printf ' %7.1f s  pass %s  forced %s  ' "$(cost_of plain "$cost")" "$(cost_of pass "$cost" | cut -d' ' -f1)" \
      "$(cost_of forced "$cost" | cut -d' ' -f1)"
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
    rm -f "$results/cost"
  fi
  if [ ! -e "$results/cost" ]; then
    source_package=$(source_package=$name && . "$products/$name.sh" && echo "$source_package")
    measure_cost
  fi
  rm -rf "$tree"
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
costs=()
for name in $chosen; do costs+=("$out/results/$name/cost"); done
read -r pass pass_low pass_high < <(cost_of pass "${costs[@]}")
read -r forced forced_low forced_high < <(cost_of forced "${costs[@]}")
echo
echo "packages right:        $((count - wrong)) of $count"
echo "compiles tuned:        $(sum tuned_compiles) of $(sum tuned_eligible) eligible"
echo "crashes and hangs:     $(sum crashes) and $(sum hangs), each followed by the plain compile"
echo "CPU of plain compiles: $(cost_of plain "${costs[@]}") s"
echo "rounds of compiles:    $(cost_of runs "${costs[@]}")"
read -r instructions counted < <(cost_of instructions "${costs[@]}") || true
echo "forced instructions:   ${instructions:-not counted} of plain, compiles of ${counted:-0} packages (at most 1.02)"
echo "pass-through CPU:      $pass [$pass_low, $pass_high] of plain (at most 1.01)"
echo "forced plugin CPU:     $forced [$forced_low, $forced_high] of plain (at most 1.02)"
[ $wrong = 0 ] && awk -v pass="$pass" -v forced="$forced" -v instructions="${instructions:-0}" \
  'BEGIN { exit !(pass > 0 && pass <= 1.01 && forced > 0 && forced <= 1.02 && instructions > 0 && instructions <= 1.02) }'
