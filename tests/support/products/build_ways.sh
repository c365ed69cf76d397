# Sourced by tests/perf/launcher_packages.sh: builds one package in one way and keeps what is compared.
#
# Ways: plain, pass (the launcher without a policy), forced (O3's own pipeline inside the plugin),
# tuned, faulty (some pipelines crash or hang in the plugin), noted (plain, its commands kept for
# compile_cost.py). Every way builds in the same folder, so that paths in objects agree.
#
# Needs: $out (results), $programs (launcher, plugin, compile_policy, faulty/), $sources, $jobs.
# Keeps in $out/results/NAME: WAY.objects (hashes of *.o, *.lo, *.sho), WAY.stderr (its lines,
# sorted), WAY.tests, WAY.stats, WAY.records, WAY.log; commands of the way `noted` in $out/notes.
products=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
tree=$out/tree
state=$out/state
# Nothing is speculated once calls are inlined: libpng's pngvalid makes floating point exceptions
# traps, which -O3 promises nothing about and which a speculated division springs.
tuned_pipeline='ipsccp,function(sroa<modify-cfg>,early-cse<memssa>,simplifycfg'
tuned_pipeline+=',instcombine<no-verify-fixpoint>),cgscc(inline),function(sroa<modify-cfg>,early-cse,gvn'
tuned_pipeline+=',simplifycfg<no-speculate-blocks>,loop-mssa(licm),instcombine<no-verify-fixpoint>'
tuned_pipeline+=',simplifycfg<no-speculate-blocks>),globaldce'
# Those that the faulty plugin crashes on, is killed in, and hangs in; each three times at most.
faulty_pipelines=('function(sroa)=crash' 'function(gvn)=kill' 'function(early-cse)=exit70'
  'function(dce)=hang')

write_policy() { # NAME RULES [CPU LIMIT]
  {
    printf '{"format":1,"target":"%s","sequence":1,"cpu_limit_seconds":%s,' "$name" "${3:-600}"
    printf '"compiler":{"family":"clang","major":19},"rules":[%s]}\n' "$2"
  } > "$out/$1.json"
  "$programs/compile_policy" "$out/$1.json" "$out/$1.policy"
}

# Rules for the faulty way, from the sources that the tuned way tuned: one hangs, every third crashes.
faulty_rules() {
  sed -n 's/.*"source":"\([^"]*\)".*"compiled":"tuned".*/\1/p' "$results/tuned.records" | LC_ALL=C sort -u |
    awk -v list="${faulty_pipelines[*]}" '
      BEGIN { n = split(list, item, " "); for (i = 1; i <= n; i++) sub(/=.*/, "", item[i]) }
      NR == 1 { kind = n }
      NR % 3 == 2 { kind = int(NR / 3) % (n - 1) + 1 }
      kind { printf "{\"source\":\"%s\",\"pipeline\":\"%s\"},", $0, item[kind]; kind = 0 }'
  printf '{"source":"*","pipeline":"%s"}' "$tuned_pipeline"
}

# What a way sets for the whole of configure, build and tests; runs a step of the recipe in the tree.
recipe() { # WAY STEP
  (
    set -euo pipefail
    cd "$tree"
    launcher=$programs/hone-cc
    case $1 in plain) launcher= ;; noted) launcher=$products/note ;; esac
    cc="${launcher:+$launcher }clang-19"
    cxx="${launcher:+$launcher }clang++-19"
    level="-O3 -Wall -Wextra"
    export HONE_ROOT=$tree HONE_STATE_DIR=$state HONE_POLICY=$out/$1.policy
    case $1 in
      plain | pass) unset HONE_ROOT HONE_STATE_DIR HONE_POLICY ;;
      noted)
        unset HONE_ROOT HONE_STATE_DIR HONE_POLICY
        export HONE_TEST_LAUNCHER=$programs/hone-cc
        if [ "$2" = build ]; then export HONE_TEST_NOTES=$out/notes; fi ;;
      forced) export HONE_TEST_FORCE_PLUGIN=1 ;;
      faulty)
        HONE_TEST_FAULT=$(IFS=';' && echo "${faulty_pipelines[*]}")
        export HONE_TEST_FAULT HONE_PLUGIN_DIR=$programs/faulty ;;
    esac
    . "$products/recipe_tools.sh"
    . "$products/$name.sh"
    "$2"
  )
}

fresh_state() { rm -rf "$state" && mkdir -p "$state"; }

# The tree as it is before the build.
configured() { # WAY
  rm -rf "$tree"
  cp -a "$sources/$source_package" "$tree"
  fresh_state
  recipe "$1" configure > "$results/$1.configure.log" 2>&1 < /dev/null
}

# One build. 1 if it fails; what is compared is written only if it succeeds.
build_way() { # WAY
  configured "$1" || { echo "configure failed" > "$results/$1.failed"; return 1; }
  fresh_state
  if ! recipe "$1" build > "$results/$1.log" 2> "$results/$1.messages" < /dev/null; then
    echo "build failed" > "$results/$1.failed"
    return 1
  fi
  LC_ALL=C sort "$results/$1.messages" > "$results/$1.stderr"
  (
    cd "$tree"
    find . -type f '(' -name '*.o' -o -name '*.lo' -o -name '*.sho' ')' -print0 |
      LC_ALL=C sort -z | xargs -0 sha256sum
  ) > "$results/$1.objects"
  case $1 in plain | pass | noted) return ;; esac
  # A launcher that keeps no records has tuned nothing.
  touch "$state/compiles.ndjson"
  cp "$state/compiles.ndjson" "$results/$1.records"
  HONE_STATE_DIR=$state "$programs/hone-cc" --stats > "$results/$1.stats" || true
}

# The package's own tests, in the tree that was just built.
test_way() { recipe "$1" run_tests > "$results/$1.tests" 2> "$results/$1.tests.err"; } # WAY
