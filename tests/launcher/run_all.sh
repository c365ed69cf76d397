#!/usr/bin/env bash
# Runs every launcher case: the shared ones (cases/) and ours (behaviours/) in each set-up of
# setups.sh, and those that bring a policy of their own (decisions/, build_systems/) once.
#
# usage: run_all.sh [--shared] [--setup NAME]... LAUNCHER [POLICY]
#   --shared      the shared cases only
#   --setup NAME  only this set-up: plain, tuned, crash, hang
#   POLICY        the index for clang in the set-up `tuned` (default: one rule for every file)
# CASE_CLANG / CASE_GCC pick other compilers (defaults clang++-19 / g++); HONE_TEST_BIN and
# HONE_TEST_FAULTY name the folders of compile_policy and the faulty plugin (see setups.sh).
#
# Prints one line a case and the totals last. Exit: 0 right; 1 if a case fails, or if less than 95 %
# of the eligible compiles were tuned in the set-up `tuned`; 2 wrong usage.
set -u
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
. "$here/setups.sh"
usage() { sed -n '2,13s/^# \{0,1\}//p' "$0" >&2; exit 2; }
shared_only=0 chosen=()
while [ $# -gt 0 ]; do
  case $1 in
    --shared) shared_only=1; shift ;;
    --setup) case " ${SETUPS[*]} " in *" ${2:-} "*) chosen+=("$2"); shift 2 ;; *) usage ;; esac ;;
    -*) usage ;;
    *) break ;;
  esac
done
[ $# = 1 ] || [ $# = 2 ] || usage
[ ${#chosen[@]} -gt 0 ] || chosen=("${SETUPS[@]}")
launcher=$(realpath -s "$1") policy=${2:+$(realpath "$2")}
find_bin "$launcher"
export HONE_TEST_BIN=$BIN HONE_TEST_FAULTY=$FAULTY
for program in "$launcher" "$BIN/compile_policy"; do
  [ -x "$program" ] || { echo "there is no program $program" >&2; exit 2; }
done
T=$(mktemp -d) || exit 2
trap 'rm -rf "$T"' EXIT
chmod 755 "$T"
mkdir "$T/policies"
make_policies "$T/policies" "$policy" || exit 1
unset HONE_POLICY HONE_ROOT HONE_STATE_DIR HONE_ON_FAILURE HONE_TEST_FORCE_PLUGIN

passed=0 failed=0 skipped=0
# run SETUP CASE COMMAND...
run() {
  local setup=$1 name=$2 result; shift 2
  timeout 600 "$@" > "$T/out" 2>&1 < /dev/null
  result=$?
  case $result in
    0) passed=$((passed + 1)); printf 'pass  %-6s %s\n' "$setup" "$name" ;;
    77) skipped=$((skipped + 1)); printf 'skip  %-6s %s: %s\n' "$setup" "$name" "$(tail -n 1 "$T/out")" ;;
    *) failed=$((failed + 1)); printf 'FAIL  %-6s %s (exit %s)\n' "$setup" "$name" "$result"; sed 's/^/        /' "$T/out" | head -n 20 ;;
  esac
}

# What nobody could object to tuning, counted without the launcher's help: the commands in the list
# that name a compiler which is tuned, -O3, -c, one source, and nothing but options that are known to
# be harmless. (Quoted words are left out: the list holds shell words.)
plainly_eligible() { # COMMANDS WITH_GCC
  awk -v with_gcc="$2" '
    function harmless(word) {
      return word ~ /^-(O3|c|MD|MMD|MP|w|g[0-9]?|pedantic|fPIC|fpic|fno-exceptions|fno-rtti|ffunction-sections|fdata-sections)$/ ||
             word ~ /^-(I|D|U|std=|march=|fvisibility=)./ || (word ~ /^-W/ && word !~ /^-W[alp],/)
    }
    {
      program = $1; sub(/.*\//, "", program)
      if (program !~ /^clang/ && !(with_gcc && program ~ /^(g\+\+|gcc|c\+\+)/)) next
      o3 = c = sources = 0; good = 1
      for (i = 2; i <= NF && good; ++i) {
        if ($i == "-O3") o3 = 1
        if ($i == "-c") c = 1
        if ($i ~ /^-(o|MF|MT|MQ|I|D|include)$/) { if ($(++i) ~ /^\/dev\/|^-/) good = 0 }
        else if ($i ~ /^[^-@].*\.(c|cc|cpp|cxx)$/ && $i !~ /[\\$\047"]/) ++sources
        else if (!harmless($i)) good = 0
      }
      if (good && o3 && c && sources == 1) ++n
    }
    END { print n + 0 }' "$1"
}
stat_of() { awk -v n="$2" '{k = $0; sub(/ +[0-9.]+( s)?$/, "", k); sub(/^ +/, "", k)} k == n {v = $NF} END {print v + 0}' "$1"; }

gcc=0; [ ! -e "$T/policies/tuned.gcc.idx" ] || gcc=1
[ $gcc = 1 ] || echo "note: compile_policy takes no decisions for GCC: g++ is not tuned and not counted"
tuned_line=
for setup in "${chosen[@]}"; do
  rm -rf "$T/all"; mkdir -m 1777 "$T/all"
  scripts=("$here"/cases/*/case.sh)
  [ $shared_only = 1 ] || scripts+=("$here"/behaviours/*.sh)
  for script in "${scripts[@]}"; do
    case $script in */case.sh) name=cases/$(basename "$(dirname "$script")") ;; *) name=behaviours/$(basename "$script" .sh) ;; esac
    state=$T/all/${name//\//.}
    case $script in
      */case.sh)
        make_setup "$setup" "$launcher" "$T/policies" "$state"
        run "$setup" "$name" bash "$script" "$T/policies/$setup"
        ;;
      *) run "$setup" "$name" env CASE_SETUP="$setup" CASE_POLICIES="$T/policies" CASE_STATE="$state" bash "$script" "$launcher" ;;
    esac
  done
  if [ "$setup" = tuned ]; then
    # Errors in the sources of a case are not the launcher's.
    mkdir -p "$T/sum"; cat "$T/all"/*/compiles.ndjson > "$T/sum/compiles.ndjson" 2>/dev/null
    cat "$T/all"/*/commands > "$T/commands"
    "$launcher" --state-dir="$T/sum" --stats > "$T/stats" 2>&1 || : > "$T/stats"
    tuned=$(stat_of "$T/stats" tuned) meant=$(stat_of "$T/stats" 'meant to be tuned')
    errors=$(stat_of "$T/stats" compile_error) sure=$(plainly_eligible "$T/commands" $gcc)
    cp "$T/stats" "$T/stats.tuned"
    eligible=$((meant > sure ? meant : sure)); eligible=$((eligible - errors))
    tuned_line=$(printf 'tuned: %d of %d eligible compiles (%d meant by --stats, %d by their command lines, %d with errors of their own)' \
      "$tuned" "$eligible" "$meant" "$sure" "$errors")
    if [ "$eligible" -le 0 ] || [ $((tuned * 100)) -lt $((eligible * 95)) ]; then
      failed=$((failed + 1)); tuned_line="FAIL  $tuned_line: less than 95 %"
    fi
  fi
done
if [ $shared_only = 0 ]; then
  for script in "$here"/decisions/*.sh "$here"/build_systems/*.sh; do
    name=$(basename "$(dirname "$script")")/$(basename "$script" .sh)
    [ "$name" = build_systems/project ] || run own "$name" bash "$script" "$launcher"
  done
fi
[ -z "$tuned_line" ] || { sed 's/^/  /' "$T/stats.tuned"; echo "$tuned_line"; }
echo "$passed passed, $failed failed, $skipped skipped"
[ $failed = 0 ]
