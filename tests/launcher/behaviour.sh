# Sourced by the cases in behaviours/, which compare the launcher with the plain compiler, in every
# set-up. usage of a case: CASE.sh [LAUNCHER]
#   exit 0 = right, 1 = wrong (says what), 77 = cannot run here
# CASE_SETUP     plain, tuned (default), crash or hang: see setups.sh
# CASE_POLICIES  folder with policies made before (default: makes its own)
# CASE_STATE     state folder to use (default: its own)
# CASE_FIRST_WRONG=1 ends at the first mistake
# CASE_CLANG / CASE_CLANGC / CASE_GCC pick other compilers.
set -u
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
. "$here/setups.sh"
REAL=$(realpath -s "${1:-$here/../../build/dev/bin/hone-cc}") || exit 77
find_bin "$REAL"
CLANG=${CASE_CLANG:-clang++-19} CLANGC=${CASE_CLANGC:-clang-19} GXX=${CASE_GCC:-g++}
SETUP=${CASE_SETUP:-tuned}
for program in "$CLANG" "$CLANGC" "$GXX" "$REAL" "$BIN/compile_policy"; do
  command -v "$program" >/dev/null || { echo "SKIP: no $program"; exit 77; }
done
case $SETUP in crash | hang) [ -e "$FAULTY/libhone_pass-19.so" ] || { echo "SKIP: no faulty plugin in $FAULTY"; exit 77; } ;; esac
W=$(mktemp -d) || exit 77
trap 'cd /; chmod -R u+w "$W" 2>/dev/null; rm -rf "$W"' EXIT
chmod 755 "$W"
mkdir "$W/setup" "$W/case"
unset HONE_POLICY HONE_ROOT HONE_STATE_DIR HONE_ON_FAILURE HONE_TEST_FORCE_PLUGIN HONE_TEST_FAULT
unset DEPENDENCIES_OUTPUT SUNPRO_DEPENDENCIES CCC_OVERRIDE_OPTIONS MAKEFLAGS CPATH
export LLVM_DISABLE_SYMBOLIZATION=1  # a crash is told in the same words, and at once
STATE=${CASE_STATE:-$W/state}
if [ -n "${CASE_POLICIES:-}" ]; then cp -r "$CASE_POLICIES"/. "$W/setup/"; else make_policies "$W/setup" || exit 1; fi
make_setup "$SETUP" "$REAL" "$W/setup" "$STATE"
L=$W/setup/$SETUP
GCC_TUNED=0; [ ! -e "$W/setup/tuned.gcc.idx" ] || GCC_TUNED=1
cd "$W/case" || exit 77

bad=0
no() { printf 'WRONG: %s\n' "$*"; bad=1; [ -z "${CASE_FIRST_WRONG:-}" ] || exit 1; }
l() { "$L" "$@"; }
# Runs a command, keeping its output in NAME.out, NAME.err and NAME.rc.
cap() { local n=$1; shift; "$@" >"$n.out" 2>"$n.err"; echo $? >"$n.rc"; }
same() { cmp -s "$1" "$2" || no "$3 (differs from the plain compiler): $(diff -a "$1" "$2" 2>&1 | head -c 400)"; }
quiet() { [ ! -s "$1" ] || no "$2: unexpected output: $(head -c 300 "$1")"; }
names() { (cd "$1" && find . -mindepth 1 | LC_ALL=C sort | tr '\n' ' '); }
tuned_count() { if [ -e "$STATE/compiles.ndjson" ]; then grep -c '"compiled":"tuned"' "$STATE/compiles.ndjson"; else echo 0; fi; }
# Names of temporary files and addresses in a compiler's messages are others every time.
same_names() { sed -E 's#/tmp/(cc[A-Za-z0-9]{6}|[A-Za-z0-9_]+-[0-9a-f]+)#/tmp/X#g; s/-[0-9a-f]{8}(\.[a-z]+\.tmp)/-X\1/g; s/0x[0-9a-f]+/0x/g'; }
symbols() { [ "$(head -c 4 "$1" | tail -c 3)" != ELF ] || nm -g --defined-only "$1" 2>/dev/null | awk '$2 ~ /^[TDBRC]$/ {print $2, $3}' | LC_ALL=C sort; }
# Whether compiles by COMPILER are to be tuned in this set-up.
is_tuned_here() { [ "$SETUP" = tuned ] && case "${1##*/}" in *clang*) true;; *) [ $GCC_TUNED = 1 ];; esac; }
is_code() { case "$(head -c 4 "$1" | od -An -tx1 | tr -d ' \n')" in 7f454c46 | 4243c0de) true;; *) false;; esac; }

# What cases call in a command of twin: the compiler $C, plain or launched. CC is the same as words.
cc() { "${CC[@]}" "$@"; }

# twin [-t|-p] [-n] [-x GLOB] COMMAND: runs COMMAND, a shell text that calls `cc`, in two copies of
# the folder in/, once plain and once launched, and compares: exit code, both outputs, which files
# there are, and their content; of objects that were tuned only which global symbols they define.
#   -t      it must be tuned where that set-up tunes the compiler in $C
#   -p      it must not be tuned in any
#   -n      names of files only
#   -x GLOB content of these files is not compared
twin() {
  local want='' content=1 skip='' what before who file
  while :; do
    case $1 in
      -t | -p) want=$1; shift ;;
      -n) content=0; shift ;;
      -x) skip=$2; shift 2 ;;
      *) break ;;
    esac
  done
  what="${C##*/} $1"
  before=$(tuned_count)
  for who in plain launched; do
    rm -rf "$who" run; mkdir run
    [ ! -d in ] || cp -a in/. run/
    CC=("$C"); [ $who = plain ] || CC=("$L" "$C")
    (cd run && eval "$1") >"$who.out" 2>"$who.err" </dev/null
    echo $? >"$who.rc"
    mv run $who
  done
  for who in plain launched; do same_names < $who.err > $who.e && mv $who.e $who.err; done
  for file in rc out err; do same plain.$file launched.$file "$what: $file"; done
  [ "$(names plain)" = "$(names launched)" ] || no "$what: files '$(names launched)', plain '$(names plain)'"
  local tuned=$(($(tuned_count) - before))
  case $want in
    # What the plain compiler refuses (g++ does not know -MV, and cannot pass on a file of 2.6 MB) cannot be tuned.
    -t) ! is_tuned_here "$C" || [ "$(cat plain.rc)" != 0 ] || [ $tuned -gt 0 ] || no "$what: was not tuned: $(tail -n 1 "$STATE/compiles.ndjson" 2>/dev/null)" ;;
    -p) [ $tuned = 0 ] || no "$what: was tuned" ;;
  esac
  [ $content = 1 ] || return 0
  while IFS= read -r file; do
    [ -f "plain/$file" ] && [ -f "launched/$file" ] || continue
    # shellcheck disable=SC2254
    case $file in $skip) continue ;; esac
    if [ $tuned -gt 0 ] && is_code "plain/$file"; then
      is_code "launched/$file" || no "$what: $file is no object"
      [ "$(symbols "plain/$file")" = "$(symbols "launched/$file")" ] || no "$what: $file defines other symbols"
    else
      cmp -s "plain/$file" "launched/$file" || no "$what: $file has other content"
    fi
  done < <(cd plain && find . -type f | LC_ALL=C sort)
}
# Runs every line of standard input as twin would: twins [OPTIONS OF twin], for both compilers.
twins() {
  local line
  while IFS= read -r line; do [ -z "$line" ] || for C in "$CLANG" "$GXX"; do twin "$@" "$line"; done; done
}
# For both compilers: both [OPTIONS OF twin] COMMAND
both() { for C in "$CLANG" "$GXX"; do twin "$@"; done; }

# Code on which the pipelines show.
loop_source() { echo 'int sum(const int* v, int n) { int s = 0; for (int i = 0; i < n; ++i) s += v[i] * v[i]; return s; }'; }
