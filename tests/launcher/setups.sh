# Sourced by run_all.sh and behaviour.sh: the set-ups that a launcher is tested in. Some cases empty
# the environment, so that each set-up is a small script around the launcher, which sets what the
# launcher reads, notes the command and then becomes the launcher.
#
#   plain   no policy
#   tuned   a policy for every eligible file (GCC's, where compile_policy accepts one, for GCC)
#   crash   the same, and every pipeline crashes the compiler: clang in the plugin, GCC in a cc1 of ours
#           that its driver is led to (COMPILER_PATH), which knows the policy's flags
#   hang    the same, and every pipeline uses CPU time until the limit of 1 s; no more than three
#           times, which is what a state folder is for
#
#   HONE_TEST_BIN      folder of compile_policy and the rest (default: where the launcher is, or a
#                      build in build/)
#   HONE_TEST_FAULTY   folder of the plugin that fails on demand (default: ../tests/faulty from there)
SETUPS=(plain tuned crash hang)

# find_bin LAUNCHER: sets BIN and FAULTY as described above. A launcher of somebody else's has no
# compile_policy beside it.
find_bin() {
  local folder root
  root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
  BIN=${HONE_TEST_BIN:-}
  for folder in "$(dirname "$1")" "$root"/build/{dev,release,gcc}/bin; do
    [ -n "$BIN" ] || [ ! -x "$folder/compile_policy" ] || BIN=$folder
  done
  BIN=${BIN:-$(dirname "$1")}
  FAULTY=${HONE_TEST_FAULTY:-$(dirname "$BIN")/tests/faulty}
}

# A pipeline that shows in the object: neither unrolling nor a vectoriser.
SETUP_PIPELINE='function(sroa,early-cse,simplifycfg),cgscc(inline),function(sroa,gvn,simplifycfg,instcombine<no-verify-fixpoint>)'

# policy_document FAMILY MAJOR MORE RULE: a policy of one rule for everything. GCC's decisions are
# flags, given as knobs.
policy_document() {
  printf '{"format":1,"target":"cases","sequence":1,%s"compiler":{"family":"%s","major":%s},"rules":[%s]}' \
    "$3" "$1" "$2" "$4"
}

# GCC's compilers proper in FOLDER, which fail where the policy's flags are given and else are real.
make_faulty_gcc() { # FOLDER crash|hang
  local program real
  mkdir -p "$1"
  for program in cc1 cc1plus; do
    real=$("${CASE_GCC:-g++}" -print-prog-name=$program)
    case $real in /*) ;; *) continue ;; esac
    {
      echo '#!/bin/bash'
      echo 'case " $* " in *" -fno-tree-vectorize "*)'
      if [ "$2" = crash ]; then echo '  ulimit -c 0; kill -SEGV $$ ;;'; else echo '  while :; do :; done ;;'; fi
      echo 'esac'
      echo "exec '$real' \"\$@\""
    } > "$1/$program"
    chmod 755 "$1/$program"
  done
}

# make_policies FOLDER [POLICY]: writes tuned.clang.idx and faulty.clang.idx and, if compile_policy
# takes GCC's decisions, tuned.gcc.idx, faulty.gcc.idx, and GCC's faulty compilers in gcc.crash and
# gcc.hang. POLICY replaces the first.
make_policies() {
  local folder=$1 gcc_major rule="{\"source\":\"*\",\"pipeline\":\"$SETUP_PIPELINE\"}"
  policy_document clang 19 '' "$rule" > "$folder/tuned.json"
  policy_document clang 19 '"cpu_limit_seconds":1,' "$rule" > "$folder/faulty.json"
  "$BIN/compile_policy" "$folder/tuned.json" "$folder/tuned.clang.idx" || return 1
  "$BIN/compile_policy" "$folder/faulty.json" "$folder/faulty.clang.idx" || return 1
  [ -z "${2:-}" ] || cp "$2" "$folder/tuned.clang.idx"
  gcc_major=$("${CASE_GCC:-g++}" -dumpversion | cut -d. -f1)
  policy_document gcc "$gcc_major" '' \
    '{"source":"*","pipeline":"default<O3>","knobs":{"ftree-vectorize":"false","funroll-loops":"true"}}' > "$folder/gcc.json"
  if "$BIN/compile_policy" "$folder/gcc.json" "$folder/tuned.gcc.idx" 2> "$folder/gcc.refused"; then
    sed 's/"sequence":1,/&"cpu_limit_seconds":1,/' "$folder/gcc.json" > "$folder/faulty.gcc.json"
    "$BIN/compile_policy" "$folder/faulty.gcc.json" "$folder/faulty.gcc.idx" || return 1
    make_faulty_gcc "$folder/gcc.crash" crash
    make_faulty_gcc "$folder/gcc.hang" hang
  else
    rm -f "$folder/tuned.gcc.idx"
  fi
  # Cases run the launcher as another user, too.
  chmod -R a+rX "$folder"
}

# make_setup NAME LAUNCHER FOLDER STATE: writes the script FOLDER/NAME. STATE is the state folder and
# holds the list of commands.
make_setup() {
  local name=$1 launcher=$2 folder=$3 state=$4 clang=tuned
  mkdir -p "$state" && chmod 1777 "$state" && : > "$state/commands" && chmod 666 "$state/commands"
  [ "$name" = crash ] || [ "$name" = hang ] && clang=faulty
  {
    echo '#!/bin/bash'
    echo "{ printf '%q ' \"\$@\" && echo; } 2>/dev/null >> '$state/commands'"
    if [ "$name" != plain ]; then
      echo "export HONE_ROOT=/ HONE_POLICY='$folder/$clang.clang.idx'"
      if [ -e "$folder/$clang.gcc.idx" ]; then
        echo "case \"\${1##*/}\" in *clang*) ;; *g++*|*gcc*|c++|cc)"
        echo "  HONE_POLICY='$folder/$clang.gcc.idx'"
        if [ $clang = faulty ]; then
          # Where the driver says what it runs, it would show.
          echo "  case \" \$* \" in *' -### '*|*' -v '*|*' -print-'*) ;; *) export COMPILER_PATH='$folder/gcc.$name' ;; esac"
        fi
        echo "esac"
      fi
    fi
    [ "$name" = tuned ] && [ -n "${HONE_PLUGIN_DIR:-}" ] && echo "export HONE_PLUGIN_DIR='$HONE_PLUGIN_DIR'"
    if [ "$clang" = faulty ]; then
      echo "export HONE_PLUGIN_DIR='$FAULTY' HONE_TEST_FAULT=$name LLVM_DISABLE_SYMBOLIZATION=1"
    fi
    # Without memory of what has failed every compile crashes.
    [ "$name" = crash ] || echo "export HONE_STATE_DIR='$state'"
    echo "exec '$launcher' \"\$@\""
  } > "$folder/$name"
  chmod 755 "$folder/$name"
}
