# Sourced by tests/perf/staging_*.sh: their options, and the tools they need.
. "$root/tests/support/staging/comparisons.sh"

# read_arguments NAME ARGUMENTS...: sets $out, $hone and $collect; NAME is the script's.
read_arguments() {
  local name=$1 bin=
  shift
  collect=no out=$root/build/$name
  while [ $# -gt 0 ]; do
    case $1 in
      --collect) collect=yes; shift ;;
      --out) out=${2:?--out DIR}; shift 2 ;;
      --bin) bin=${2:?--bin DIR}; shift 2 ;;
      *) sed -n '2,/^set /{/^set /d;s/^# \{0,1\}//p}' "$0" >&2; exit 2 ;;
    esac
  done
  if [ -z "$bin" ]; then
    bin=$root/build/release/bin
    [ -x "$bin/hone" ] || bin=$root/build/dev/bin
  fi
  hone=$(realpath "$bin/hone")
  for tool in "$hone" jq clang-19; do
    command -v "$tool" > /dev/null || { echo "$name: no $tool here" >&2; exit 1; }
  done
  [ $collect = yes ] || rm -rf "$out/results" "$out/objects" "$out/work"
  mkdir -p "$out/results"
  out=$(cd "$out" && pwd)
  exec 9> "$out/lock"
  flock -n 9 || { echo "$name: another run works in $out" >&2; exit 1; }
  echo "machine: $(nproc) processors, $(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -1), load $(cut -d' ' -f1-3 /proc/loadavg), $(date -u +%F)"
}
