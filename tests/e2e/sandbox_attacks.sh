#!/usr/bin/env bash
# Candidates that attack the machine that measures them: a fork bomb, memory bombs, 10 GB of output, and
# programs that read other users' files, open sockets, look into other processes, or outlive their
# parent, as benchmarks and from within a build; builds that leave links, FIFOs, bottomless folders or
# a full disk behind, and benchmarks that leave such where files are compared; and candidates that are
# merely wrong. Each must get its outcome, nothing may escape, and the next job on the same slot must be
# measured as if nothing had been. Then what the sandbox costs.
#
#   sandbox_attacks.sh [--build DIR] [--pairs N] [--partial]
#
#   --build DIR   build tree with the programs in bin/ and tests/ [build/dev, built if missing]
#   --pairs N     pairs of runs, with and without sandbox, for its cost [100]
#   --partial     on a machine (or as a user) without control groups: names what is missing, leaves
#                 out the two attacks that only those stop, and does not measure the cost
#
# The baseline of each product is harmless, its candidate is not: the build of a candidate finds
# HONE_POLICY set. Prints the figure last; exit code 1 if it falls short, 77 where the machine does not
# allow the whole sandbox.
here=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
build=$here/build/dev pairs=100
options=(--require-sandbox) partial=0
while [ $# -gt 0 ]; do
  case $1 in
    --build) build=$(cd "$2" && pwd) || exit 2; shift 2 ;;
    --pairs) pairs=$2; shift 2 ;;
    --partial) partial=1; shift ;;
    *) sed -n '2,/^here=/{/^here=/d;s/^# \{0,1\}//p}' "${BASH_SOURCE[0]}" >&2; exit 2 ;;
  esac
done
if [ ! -x "$build/bin/hone" ] || [ ! -x "$build/tests/sandbox_cost" ]; then
  cmake -S "$here" --preset dev -B "$build" > /dev/null &&
    cmake --build "$build" --target honed hone-worker hone-cc hone hone_pass-19 sandbox_cost > /dev/null ||
    exit 1
fi
HONE_BIN=$build/bin
. "$here/tests/support/world.sh"
worker= bait=
ended() {
  local pid
  for pid in $worker $bait; do
    kill -TERM "$pid" 2> /dev/null
    wait "$pid" 2> /dev/null
  done
  chmod -R u+rwX "$W/work" 2> /dev/null  # what an attack has closed, where we are no root
  clean_up
}
trap ended EXIT

# --- Bait: what an attack must not reach --------------------------------------------------------------
world_up --no-worker
"$BIN/hone" token create attacked --role worker --json > "$W/token.json" || no "no worker token"
(umask 077 && json "$W/token.json" token > "$W/worker.token")
echo "a neighbour's file that everybody may read" > "$W/secret"
chmod 644 "$W/secret"
touch "$W/bait.hits"
python3 "$here/tests/e2e/attacks/bait.py" "$W" &
bait=$!
# In part: nothing is required, and processors need not be ours alone, since no cost is measured.
[ $partial = 0 ] || options=(--lock-folder "$W")
await 20 test -e "$W/bait.ready" || { echo "WRONG: no bait"; exit 1; }

"$BIN/hone-worker" --token-file "$W/worker.token" --name attacked --work "$W/work" --slots 1 \
  --build-disk-mib 2048 "${options[@]}" > "$W/worker.log" 2>&1 &
worker=$!
settled() { grep -q worker_registered "$W/worker.log" || ! kill -0 "$worker" 2> /dev/null; }
await 60 settled
grep -q worker_registered "$W/worker.log" || {
  if grep -q 'require-sandbox' "$W/worker.log"; then
    echo "SKIP: $(cat "$W/worker.log")"
    exit 77
  fi
  cat "$W/worker.log"
  echo "WRONG: the worker does not start"
  exit 1
}

if [ $partial = 1 ]; then
  grep -o '"why":"[^"]*"' "$W/worker.log" | sed 's/^"why":/partial: /'
  if grep -q 'without namespaces' "$W/worker.log"; then
    echo "SKIP: without namespaces nothing keeps an attack in"
    exit 77
  fi
fi

# --- The attacks --------------------------------------------------------------------------------------

# product NAME ATTACK: registers a product whose candidate does that.
product() {
  local name=$1 folder=$W/products/$1
  mkdir -p "$folder"
  cp "$here/tests/e2e/attacks/attack.c" "$here/tests/e2e/attacks/make.sh" "$folder"
  echo "$2" > "$folder/attack"
  {
    cat "$W/bait.ready"
    echo "tcp ${HONE_URL##*:}"
    echo "pid $worker"
    case $(id -u)$name in 0plain*) ;; 0*) echo "output private" ;; esac  # jobs are another user's
    for place in "$W"/work/targets/victim/*/ccache-s000 "$W"/work/targets/victim/*/objects \
                  "$W"/work/targets/victim/*/home-s000 /var/tmp/..; do
      echo "write $place"
    done
    for file in /etc/shadow "$W/secret" "$W/worker.token" "$W/data/admin.token" "$here/README.md" \
                "$W/plain/token" "$W/plain/.config/hone/client.json" \
                "$W/worker.log" "$W/work/spool" $(ls -d "$W"/work/targets/victim/*/source/attack 2> /dev/null); do
      echo "read $file"
    done
  } > "$folder/facts.txt"
  local inputs='{name: facts, file: facts.txt}'
  if [ "$2" = second ]; then
    cp "$folder/facts.txt" "$folder/second.txt"
    inputs="$inputs, {name: other, file: second.txt}"
  fi
  local outputs='[]'
  case $2 in put*) outputs='[out, "parts/*.csv"]' ;; esac
  cat > "$folder/hone.yaml" <<YAML
name: $name
build:
  commands: [[sh, "{source}/make.sh", "{source}", "{cc}"]]
  binaries: [attack]
  timeout_seconds: 120
benchmark:
  command: ["{build}/attack", "{input}"]
  inputs: [$inputs]
  outputs: $outputs
  metric: {metric: printed, pattern: "time ([0-9.]+)"}
  timeout_seconds: 6
  memory_mib: 300
tune: {include: [attack.c]}
YAML
  "$BIN/hone" target add "$folder" > "$W/$name.add" 2>&1 || no "$name: $(cat "$W/$name.add")"
}

# ends NAME OUTCOME REASON-PATTERN [COUNT]: measures the candidate, which must end like that.
ends() {
  local name=$1 outcome=$2 pattern=$3
  "$BIN/hone" job submit "$name" --stage race --wait --json --knob "unroll-count=${4:-4}" \
    > "$W/$name.json" 2> "$W/$name.err"
  local got reason job
  got=$(json "$W/$name.json" outcome)
  reason=$(json "$W/$name.json" reason)
  job=$(json "$W/$name.json" id)
  "$BIN/hone" job show "$job" > "$W/$name.show" 2>&1
  "$BIN/hone" job show "$job" --json > "$W/$name.whole.json" 2> "$W/$name.err"
  [ "$got" = "$outcome" ] || no "$name: outcome '$got' ($reason), not $outcome: $(cat "$W/$name.err")"
  if ! grep -qE "$pattern" <<< "$reason"; then
    no "$name: no reason like '$pattern': $reason"
  fi
  if grep -qE 'ESCAPED|exit code 99' - "$W/$name.show" <<< "$reason"; then
    no "$name: $(cat "$W/$name.show")"
    escapes=$((escapes + 1))
  fi
  if [ $partial = 0 ] && grep -q 'sandbox:' "$W/$name.show"; then
    no "$name: measured with less than the whole sandbox: $(json "$W/$name.whole.json" result warnings)"
  fi
  printf '%-14s %-15s %s\n' "$name" "$got" "$(sed -n 1p <<< "$reason" | cut -c 1-120)"
}

attacks=0 outcomes=0 escapes=0 unaffected=0
# attack KIND OUTCOME REASON-PATTERN: the attack, twice, so that the second finds what the first has
# left of it in its folders; then what it may have left elsewhere, then an honest job.
attack() {
  local kind=$1 before=$wrong
  attacks=$((attacks + 1))
  product "$kind" "$kind"
  ends "$@" 4
  ends "$@" 8
  [ $wrong = "$before" ] && outcomes=$((outcomes + 1))
  local left
  left=$(ps -eo pid,args | grep -F "$W/work/targets/$kind/" | grep -v grep)
  [ -z "$left" ] || { no "$kind: still running: $left"; escapes=$((escapes + 1)); }
  left=$(find "$W" /usr/bin /var/tmp -maxdepth 8 -name hone-attack 2> /dev/null)
  [ -z "$left" ] || { no "$kind: wrote $left"; escapes=$((escapes + 1)); }
  left=$(find /sys/fs/cgroup -maxdepth 6 -name "hone-$worker-*" 2> /dev/null)
  [ -z "$left" ] || no "$kind: control groups are left: $left"
  if [ -s "$W/bait.hits" ]; then
    no "$kind: reached $(sort -u "$W/bait.hits" | tr '\n' ' ')"
    escapes=$((escapes + 1))
    : > "$W/bait.hits"
  fi
  before=$wrong
  product "after-$kind" honest
  ends "after-$kind" ok ''
  [ -n "$(json "$W/after-$kind.json" verdict)" ] || no "after-$kind: no verdict"
  [ $wrong = "$before" ] && unaffected=$((unaffected + 1))
}

product victim honest
ends victim ok ''
attack miscompiled miscompiled 'output'
attack unsteady nondeterministic 'output'
attack second miscompiled "input 'other'.*signal 11"
attack kills miscompiled 'signal 9'
attack memory limit_exceeded 'memory'
if ! grep -q 'limits hold for each process' "$W/worker.log"; then
  attack forks limit_exceeded 'processes'
  attack memories limit_exceeded 'memory, all its processes'
fi
attack output limit_exceeded 'output limit'
attack files limit_exceeded 'filled the folder'
attack putlink miscompiled 'symbolic link'
attack putfifo miscompiled 'FIFO'
attack putsparse limit_exceeded '256 MiB'
attack putdeep limit_exceeded 'too deep'
attack putmany limit_exceeded 'more than 4096'
attack reads miscompiled 'exit code 7'
attack sockets miscompiled 'exit code 7'
attack ptraces miscompiled 'exit code 7'
attack outlives ok ''
attack build ok ''
attack symlink build_failed 'made no file'
attack shared build_failed 'made no file'
attack fifo build_failed 'made no file'
attack sparse ok ''
attack deep limit_exceeded 'nested folders'
attack fill limit_exceeded 'MiB of disk'
attack names ok ''
left=$(du -sm "$W/work" | cut -f 1)
[ "$left" -lt 1000 ] || no "the attacks left $left MiB: $(du -m "$W/work" | sort -n | tail -5)"
kill -0 "$worker" 2> /dev/null || no "the worker is gone: $(tail -3 "$W/worker.log")"
kill -TERM "$worker"
wait "$worker" || no "the worker ended with $?: $(tail -3 "$W/worker.log")"
worker=

# --- A worker without rights for control groups: refuses, or says in every result what is missing ------
if [ "$(id -u)" = 0 ]; then
  install -d -o nobody -m 755 "$W/plain" "$W/plain/.config" "$W/plain/.config/hone"
  "$BIN/hone" token create plain --role worker --json > "$W/token.json" || no "no worker token"
  (umask 077 && json "$W/token.json" token > "$W/plain/token")
  chown nobody "$W/plain/token"
  # Jobs, which run as nobody too, see its home: only what is hidden keeps the token from them.
  printf '{"token_file": "%s"}\n' "$W/plain/token" > "$W/plain/.config/hone/client.json"
  plain() { # in a subshell, which it becomes
    exec setpriv --reuid=nobody --regid=nogroup --clear-groups \
      env -u HONE_TOKEN_FILE HOME="$W/plain" "$BIN/hone-worker" --share "$W/plain" --name plain \
      --work "$W/plain/work" --lock-folder "$W/plain" --slots 1 --once "$@" > "$W/plain.log" 2>&1
  }
  code=0
  (plain --require-sandbox) || code=$?
  [ $code = 2 ] || no "--require-sandbox without control groups: exit code $code: $(cat "$W/plain.log")"
  grep -q 'control groups' "$W/plain.log" && grep -q 'Delegate=yes' "$W/plain.log" ||
    no "--require-sandbox does not say what is missing: $(cat "$W/plain.log")"
  (plain) &
  worker=$!
  product plain honest
  "$BIN/hone" job submit plain --stage race --wait --json --knob unroll-count=4 \
    > "$W/plain.json" 2> "$W/plain.err"
  [ "$(json "$W/plain.json" outcome)" = ok ] || no "a plain user's worker: $(cat "$W/plain.json" "$W/plain.err")"
  "$BIN/hone" job show "$(json "$W/plain.json" id)" > "$W/plain.show" 2>&1
  grep -q 'sandbox: limits hold for each process' "$W/plain.show" ||
    no "a result without control groups does not say so: $(cat "$W/plain.show")"
  wait "$worker" || no "the plain worker ended with $?: $(tail -3 "$W/plain.log")"
  (plain) &
  worker=$!
  product plain-reads reads
  "$BIN/hone" job submit plain-reads --stage race --wait --json --knob unroll-count=4 \
    > "$W/plain.json" 2> "$W/plain.err"
  [ "$(json "$W/plain.json" outcome)" = miscompiled ] && grep -q 'exit code 7' "$W/plain.json" ||
    no "a plain user's worker, whose secrets are tried: $(cat "$W/plain.json" "$W/plain.err")"
  wait "$worker" || no "the plain worker ended with $?: $(tail -3 "$W/plain.log")"
  worker=
fi
kill "$bait"
wait "$bait" 2> /dev/null
bait=
world_down

if [ $partial = 1 ]; then
  echo "partial: $outcomes of $attacks attacks got their outcome, $escapes escaped, the next job was unaffected $unaffected times"
  finish
fi

# --- What it costs ------------------------------------------------------------------------------------
# Pairs of the same program, with and without sandbox in random order. A shell that counts and starts
# programs: arithmetic, system calls, new processes.
"$build/tests/sandbox_cost" "$pairs" sh -c \
  'i=0; while [ $i -lt 60000 ]; do i=$((i+1)); done; for j in 1 2 3 4 5; do /bin/true; done' > "$W/cost.csv" ||
  no "sandbox_cost: exit code $?"
python3 - "$W/cost.csv" "$attacks" "$outcomes" "$escapes" "$unaffected" <<'PYTHON' || wrong=$((wrong + 1))
import csv, math, statistics, sys
rows = list(csv.DictReader(open(sys.argv[1])))
attacks, outcomes, escapes, unaffected = map(int, sys.argv[2:])
ratios = [math.log(float(r["sandboxed_cpu"]) / float(r["plain_cpu"])) for r in rows]
extra = [1000 * (float(r["sandboxed_total"]) - float(r["sandboxed_wall"])
                 - float(r["plain_total"]) + float(r["plain_wall"])) for r in rows]
# Hodges-Lehmann and its signed-rank interval: a run that another program disturbed has no weight.
walsh = sorted((a + b) / 2 for i, a in enumerate(ratios) for b in ratios[i:])
n = len(ratios)
skip = max(0, int(n * (n + 1) / 4 - 1.96 * math.sqrt(n * (n + 1) * (2 * n + 1) / 24)))
added, low, high = statistics.median(walsh), walsh[skip], walsh[-1 - skip]
cost = statistics.median(extra)
print(f"sandbox: median {cost:.0f} ms a run (largest of {len(extra)}: {max(extra):.0f} ms), "
      f"CPU time of the program {100 * added:+.2f} % [{100 * low:+.2f}, {100 * high:+.2f}] in {n} pairs")
# No increase that the interval is sure of, unless it is below 0.5 %; and an interval that could tell.
if high > 0.05:
    print("WRONG: the interval is too wide to tell anything: more --pairs, or a quieter machine")
nothing_added = (low <= 0 or added < 0.005) and high <= 0.05
good = (outcomes == attacks == unaffected and escapes == 0 and cost <= 60 and nothing_added)
print(f"{outcomes} of {attacks} attacks got their outcome, {escapes} escaped, the next job was unaffected "
      f"{unaffected} times; {cost:.0f} ms a run (at most 60), CPU time {100 * added:+.2f} % "
      f"({'nothing added' if nothing_added else 'not shown to be nothing'})")
sys.exit(0 if good else 1)
PYTHON
finish
