#!/usr/bin/env bash
# Shows that every case of ours notices a launcher that is wrong: each names, in its header, the
# faulty launchers (faulty/) that it must fail with, and is run with them, and with the right one.
#
# usage: prove_cases.sh [--all] LAUNCHER [CASE.sh]...
#   --all   runs a case with every launcher it names; without it the first that it catches is enough
# Prints one line a case and the totals last; exit 1 if some case catches none, or fails with LAUNCHER.
# HONE_TEST_BIN and HONE_TEST_FAULTY as in setups.sh.
set -u
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
all=0
[ "${1:-}" != --all ] || { all=1; shift; }
[ $# -ge 1 ] && [ -x "$1" ] || { sed -n '2,9s/^# \{0,1\}//p' "$0" >&2; exit 2; }
launcher=$(realpath -s "$1"); shift
HONE_TEST_BIN=${HONE_TEST_BIN:-$(dirname "$launcher")}
HONE_TEST_FAULTY=${HONE_TEST_FAULTY:-$(dirname "$HONE_TEST_BIN")/tests/faulty}
export HONE_TEST_BIN HONE_TEST_FAULTY
T=$(mktemp -d) || exit 2
trap 'rm -rf "$T"' EXIT
chmod 755 "$T"
# Cases empty the environment: the name of the real launcher is written into the scripts.
for script in "$here"/faulty/*.sh; do
  name=$(basename "$script" .sh)
  sed "1a REAL='$launcher'" "$script" > "$T/$name"; chmod 755 "$T/$name"
done
# Cases of the plugin alone: an installation whose plugin is the faulty one.
mkdir "$T/bin" "$T/lib"
ln -s "$HONE_TEST_BIN"/* "$T/bin/"
[ ! -e "$HONE_TEST_FAULTY/libhone_pass-19.so" ] || ln -s "$HONE_TEST_FAULTY/libhone_pass-19.so" "$T/lib/"
cases=("$@")
[ ${#cases[@]} -gt 0 ] || cases=("$here"/behaviours/*.sh "$here"/decisions/*.sh)
good=0 wrong=0 skipped=0
for case in "${cases[@]}"; do
  name=$(basename "$(dirname "$case")")/$(basename "$case" .sh)
  read -r -a faults <<< "$(sed -n 's/^# fails with: //p' "$case" | head -n 1)"
  timeout 600 bash "$case" "$launcher" > "$T/out" 2>&1 < /dev/null; r=$?
  if [ $r = 77 ]; then echo "skip  $name: $(tail -n 1 "$T/out")"; skipped=$((skipped + 1)); continue; fi
  [ $r = 0 ] || { echo "WRONG $name: fails with the right launcher: $(head -n 1 "$T/out" | cut -c 1-200)"; wrong=$((wrong + 1)); continue; }
  # A case that lets a wrong launcher at a real device does harm to everybody on the machine.
  [ -c /dev/null ] || { echo "WRONG $name: /dev/null is no device any more"; exit 1; }
  caught=() missed=()
  for fault in "${faults[@]}"; do
    if [ "$fault" = faulty_plugin ]; then
      HONE_TEST_BIN=$T/bin CASE_FIRST_WRONG=1 timeout 600 bash "$case" "$launcher" > "$T/out" 2>&1 < /dev/null; r=$?
      if [ $r = 0 ] || [ $r = 77 ]; then missed+=("$fault"); else caught+=("$fault"); fi
      continue
    fi
    [ -e "$T/$fault" ] || { missed+=("$fault (there is none)"); continue; }
    CASE_FIRST_WRONG=1 timeout 600 bash "$case" "$T/$fault" > "$T/out" 2>&1 < /dev/null; r=$?
    if [ $r = 0 ] || [ $r = 77 ]; then missed+=("$fault"); else caught+=("$fault"); [ $all = 1 ] || break; fi
  done
  if [ ${#caught[@]} = 0 ] || { [ $all = 1 ] && [ ${#missed[@]} -gt 0 ]; }; then
    echo "WRONG $name: catches '${caught[*]-}', misses '${missed[*]-}'"; wrong=$((wrong + 1))
  else
    echo "good  $name: catches ${caught[*]}${missed[*]:+ (misses ${missed[*]})}"; good=$((good + 1))
  fi
done
[ -c /dev/null ] || { echo "WRONG: /dev/null is no device any more"; wrong=$((wrong + 1)); }
echo "$good cases proven, $wrong not, $skipped skipped"
[ $wrong = 0 ]
