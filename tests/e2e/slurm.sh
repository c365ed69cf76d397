#!/bin/bash
# Workers as array jobs of a real Slurm (munge, slurmctld, slurmd on this machine), scaled by
# deploy/slurm/hone-slurm-scale to the length of a coordinator's queue. The array must grow with the queue
# and shrink to nothing; on the way one task is cancelled, one is preempted by a partition of higher
# priority, and one is killed. No job may be lost or counted twice, and what was cancelled or preempted
# must hand its leases back, uncounted, instead of letting them expire.
#
#   slurm.sh [--bin DIR] [--jobs N]
#
#   --bin DIR   programs [build/release/bin, built if missing]
#   --jobs N    jobs in all, at least 30 [40]
#
# Needs root and the section [deploy] of deploy/packages.txt; exit code 77 where one is missing. Prints
# the figure last; exit code 1 if it falls short.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
bin=$here/build/release/bin jobs=40
usage() { sed -n '2,/^set /{/^set /d;s/^# \{0,1\}//p}' "${BASH_SOURCE[0]}" >&2; exit 2; }
while [ $# -gt 0 ]; do
  case $1 in
    --bin) [ $# -ge 2 ] && bin=$(cd "$2" && pwd) || usage; shift 2 ;;
    --jobs) [[ ${2-} =~ ^[0-9]{2,4}$ ]] && [ "$2" -ge 30 ] && jobs=$((10#$2)) || usage; shift 2 ;;
    *) usage ;;
  esac
done
PATH=$PATH:/usr/sbin:/sbin
for program in munged slurmctld slurmd sbatch squeue scancel curl python3; do
  command -v "$program" > /dev/null ||
    { echo "SKIP: no $program (deploy/install_packages.sh --deploy)"; exit 77; }
done
[ "$(id -u)" = 0 ] || { echo "SKIP: Slurm's programs need root here"; exit 77; }
self=slurm
. "$here/tests/support/coordinator.sh"
scaler= munged= slurmctld= slurmd=

finish() {
  local status=$? pid
  trap - EXIT
  set +e
  [ -z "$scaler" ] || { kill -TERM "$scaler"; wait "$scaler"; } 2>/dev/null
  [ -z "$slurmctld" ] || { scancel --user root; sleep 1; } 2>/dev/null
  for pid in $honed $slurmd $slurmctld $munged; do
    kill -TERM "$pid" 2>/dev/null
    wait "$pid" 2>/dev/null
  done
  for pid in $(processes); do
    kill -KILL "$pid" 2>/dev/null
  done
  leave "$status"
}
trap finish EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
# --- Slurm. Four processors, whatever there are: that is how many tasks run at once.
mkdir -p "$work"/slurm/{run,log,state,spool}
slurm=$work/slurm
chmod 755 "$slurm" "$slurm/run"
read -r control_port node_port <<< "$spare_ports"
host=$(hostname -s)
node=${host,,} # as workers are named
cat > "$slurm/slurm.conf" <<CONF
ClusterName=hone-test
SlurmctldHost=$host(127.0.0.1)
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket=$slurm/run/munge.socket
CryptoType=crypto/munge
SlurmctldPort=$control_port
SlurmdPort=$node_port
StateSaveLocation=$slurm/state
SlurmdSpoolDir=$slurm/spool
SlurmctldPidFile=$slurm/run/slurmctld.pid
SlurmdPidFile=$slurm/run/slurmd.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerType=sched/backfill
SchedulerParameters=sched_min_interval=0,sched_interval=5,batch_sched_delay=0,bf_interval=1
PreemptType=preempt/partition_prio
PreemptMode=CANCEL
KillWait=15
MinJobAge=300
ReturnToService=2
SlurmdParameters=config_overrides
NodeName=$host NodeAddr=127.0.0.1 CPUs=4 RealMemory=1000 State=UNKNOWN
PartitionName=staging Nodes=$host Default=YES MaxTime=INFINITE State=UP PriorityTier=1 GraceTime=20
PartitionName=urgent Nodes=$host MaxTime=INFINITE State=UP PriorityTier=10 PreemptMode=OFF
CONF
export SLURM_CONF=$slurm/slurm.conf
dd if=/dev/urandom of="$slurm/munge.key" bs=128 count=1 2> /dev/null
chmod 400 "$slurm/munge.key"
munged --foreground --force --key-file="$slurm/munge.key" --socket="$slurm/run/munge.socket" \
  --pid-file="$slurm/run/munged.pid" --seed-file="$slurm/run/munged.seed" --log-file="$slurm/log/munged.log" \
  > "$slurm/log/munged.out" 2>&1 &
munged=$!
within 20 "the start of munged" test -S "$slurm/run/munge.socket"
slurmctld -D -f "$SLURM_CONF" > "$slurm/log/slurmctld.log" 2>&1 &
slurmctld=$!
slurmd -D -f "$SLURM_CONF" -N "$host" > "$slurm/log/slurmd.log" 2>&1 &
slurmd=$!
is_up() { sinfo --noheader --partition staging --format %T 2>/dev/null | grep -q idle; }
within 60 "the start of Slurm" is_up
echo "$(slurmctld -V) is up"

# --- honed and a product that takes a moment.
start_honed --lease-seconds 15
within 60 "the start of honed" ready
"$bin/hone" token create slurm-scale --role viewer --output "$work/viewer.token" > /dev/null
"$bin/hone" token create slurm-worker --role worker --output "$work/worker.token" > /dev/null

product=$work/product
mkdir -p "$product"
cat > "$product/sum.c" <<'C'
#include <stdint.h>
uint64_t sum(uint64_t seed, int rounds) {
  static uint32_t table[4096];
  for (int i = 0; i < 4096; i++) table[i] = (uint32_t)(seed * (uint64_t)(i + 3));
  uint64_t total = seed;
  for (int r = 0; r < rounds; r++)
    for (int i = 0; i < 4096; i++) total += table[i] ^ (table[(i * 7 + r) & 4095] >> 3);
  return total;
}
C
cat > "$product/main.c" <<'C'
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
uint64_t sum(uint64_t, int);
int main(void) {
  printf("%" PRIu64 "\n", sum(1, 20000));
  return 0;
}
C
cat > "$product/CMakeLists.txt" <<'CMAKE'
cmake_minimum_required(VERSION 3.13)
project(small C)
add_executable(small main.c sum.c)
CMAKE
cat > "$product/hone.yaml" <<'YAML'
name: small
build:
  cmake: {options: [-DCMAKE_BUILD_TYPE=Release]}
  binaries: [small]
benchmark:
  command: ["{build}/small"]
  links: 1
YAML
"$bin/hone" target add "$product" > /dev/null
submitted=0
submit() { # COUNT: jobs of different candidates
  local i
  for ((i = 0; i < $1; i++)); do
    submitted=$((submitted + 1))
    "$bin/hone" job submit small --stage race --knob "unroll-count=$((submitted % 15 + 2))" \
      --knob "inline-threshold=$((100 + submitted))" > /dev/null
  done
}

# --- The array.
tasks() { squeue --noheader --array --name hone-worker --states "${1:-PENDING,CONFIGURING,RUNNING}" --format %i; }
count() { tasks "$@" | grep -c . || true; }
count_is() { [ "$(count "${2-}")" = "$1" ]; }
running_at_least() { [ "$(count RUNNING)" -ge "$1" ]; }
metric() { # NAME{LABELS}
  printf 'Authorization: Bearer %s\n' "$(cat "$work/viewer.token")" |
    curl -sf -H @- "$HONE_URL/metrics" | awk -v name="$1" '$1 == name { print $2; found = 1 } END { if (!found) print 0 }'
}
leased_at_least() { [ "$(metric 'hone_jobs{state="leased"}')" -ge "$1" ]; }
handed_back() { metric 'hone_leases_ended_total{how="handed_back"}'; }
handed_back_more_than() { [ "$(handed_back)" -gt "$1" ]; }
export HONE_WORKER=$bin/hone-worker HONE_SLURM_FOLDER=$work/node HONE_SLURM_IDLE=6
cd "$work"
scale() { # [OPTIONS]: in place of a subshell
  exec "$here/deploy/slurm/hone-slurm-scale" --max 4 --jobs-per-worker 2 --token-file "$work/viewer.token" "$@" -- \
    --token-file "$work/worker.token" --launcher "$bin/hone-cc" --slots 1 --heat 1 --build-jobs 1 --lock-folder .
}
export XDG_CACHE_HOME=$work/cache

(scale) > "$work/scale.log"
count_is 0 || give_up "an empty queue started workers: $(tasks)"
submit 3
# What is counted in the database is asked for now and then.
queued_is() { [ "$(metric 'hone_jobs{state="queued"}')" = "$1" ]; }
within 30 "the three jobs in /metrics" queued_is 3
(scale) >> "$work/scale.log"
grep -q '3 queued, 0 running: 2 workers wanted, 0 there, 2 submitted' "$work/scale.log" ||
  give_up "three jobs did not bring two workers: $(cat "$work/scale.log")"
submit $((jobs - 27))
scale --every 1 >> "$work/scale.log" 2>&1 &
scaler=$!
# What it grew to, and when: a line whenever the number of tasks changes.
(
  last=
  while sleep 0.3; do
    now=$(count)
    [ "$now" = "$last" ] || echo "$now $(metric 'hone_jobs{state="queued"}')"
    last=$now
  done
) > "$work/sizes" 2>/dev/null &
sampler=$!
within 60 "growth to four tasks" running_at_least 4
within 60 "work for three of them" leased_at_least 3

# One task is cancelled while it works: its lease comes back at once.
leased_task() { # a task whose worker holds a lease: sets `victim`, and `place`, the worker's
  place=$("$bin/hone" worker list --json | python3 -c '
import json, sys
print(next((w["name"].rsplit("-", 1)[1] for w in json.load(sys.stdin) if w.get("current_job")), ""))')
  [ -n "$place" ] || return 1
  # Which task has that place: its line in the output of the array.
  victim=$(cat "$work"/hone-worker-*.out | sed -n "s/^hone-worker.sbatch: task \([0-9]*\) of job \([0-9]*\) on .*, place $place\$/\2_\1/p" | tail -n 1)
  [ -n "$victim" ] && tasks RUNNING | grep -qx "$victim"
}
before=$(handed_back)
within 60 "a task with a lease" leased_task
scancel "$victim"
within 20 "the hand-back of a cancelled task's lease" handed_back_more_than "$before"
echo "cancelled task $victim handed its lease back"

# One worker dies without a word, and with a lease: it is stopped first, so that it cannot end the job.
worker_at() { # PLACE: its process; the guardians of its runs are its children and look like it
  local process parent
  for process in /proc/[0-9]*; do
    { tr '\0' ' ' < "$process/cmdline"; } 2>/dev/null | grep -q -- "hone-worker --name $node-$1 " || continue
    parent=$(awk '{ print $4 }' "$process/stat" 2>/dev/null) || continue
    if [ "$(cat "/proc/$parent/comm" 2>/dev/null)" != hone-worker ]; then
      echo "${process#/proc/}"
      return
    fi
  done
}
stopped_with_lease() {
  leased_task || return 1
  pid=$(worker_at "$place")
  [ -n "$pid" ] || return 1
  kill -STOP "$pid"
  sleep 0.5 # an answer of honed that was on its way
  leased_task && [ "$(worker_at "$place")" = "$pid" ] && return 0
  kill -CONT "$pid"
  return 1
}
within 60 "a task with a lease" stopped_with_lease
kill -KILL "$pid"
expired() { [ "$(metric 'hone_leases_ended_total{how="expired"}')" -ge 1 ]; }
within 60 "the end of the killed task's lease" expired
echo "killed task $victim lost its lease"

# So many that they last until Slurm comes to preempting, which takes it ten seconds.
submit 24
# All are preempted by a job of the partition with the higher priority.
within 120 "four tasks again" running_at_least 4
within 60 "work for two of them" leased_at_least 2
before=$(handed_back)
urgent=$(sbatch --parsable --partition=urgent --ntasks=4 --output=/dev/null --wrap 'sleep 3')
urgent_runs() { squeue --noheader --job "$urgent" --states RUNNING --format %i 2>/dev/null | grep -q . ; }
within 70 "the preemption of the workers" urgent_runs
handed_back_more_than "$before" || give_up "preempted workers handed nothing back"
preempted=$(($(handed_back) - before))
echo "preempted tasks handed $preempted leases back"

# All is done, and no worker is left.
all_done() { [ "$(metric 'hone_jobs{state="done"}')" -ge "$jobs" ]; }
within 600 "the end of all $jobs jobs" all_done
since=$SECONDS
within 60 "the end of all workers" count_is 0
seen_empty() { tail -n 1 "$work/sizes" | grep -q '^0 '; }
within 10 "a look at the empty array" seen_empty
kill -TERM "$sampler" && wait "$sampler" 2>/dev/null || true
kill -TERM "$scaler" && wait "$scaler" || give_up "the scaler ended with $?"
scaler=

"$bin/hone" job list --limit 100000 --json > "$work/jobs.json"
mkdir "$work/jobs"
for job in $(python3 -c 'import json, sys; print(*[j["id"] for j in json.load(open(sys.argv[1]))])' "$work/jobs.json"); do
  "$bin/hone" job show "$job" --json > "$work/jobs/$job.json"
done
"$bin/hone" worker list --json > "$work/workers.json"
python3 - "$work" "$jobs" "$preempted" "$((SECONDS - since))" <<'PYTHON'
import collections, json, pathlib, sys
work, wanted, preempted, empty = pathlib.Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]), sys.argv[4]
jobs = [json.loads(p.read_text()) for p in (work / "jobs").glob("*.json")]
bad = []
if len(jobs) != wanted:
    bad.append(f"{len(jobs)} jobs are in the store, {wanted} were submitted")
ends = collections.Counter()
lost = twice = 0
for job in jobs:
    counted = [a for a in job["attempts"] if a["state"] == "completed"]
    twice += len(counted) > 1
    if job["state"] != "done" or not counted:
        lost += 1
        bad.append(f"job {job['id']}: {job['state']}, {len(counted)} counted attempts")
    elif job["outcome"] != "ok":
        bad.append(f"job {job['id']}: {job['outcome']}: a signal to a task was taken for a failure: {job['reason']}")
    ends.update(a["state"] for a in job["attempts"])
sizes = [line.split() for line in (work / "sizes").read_text().splitlines()]
grown = [int(size) for size, _ in sizes]
if max(grown, default=0) != 4 or grown[-1] != 0:
    bad.append(f"sizes of the array: {grown}")
workers = [w["name"] for w in json.loads((work / "workers.json").read_text())]
if len(workers) > 8:
    bad.append(f"a worker a task instead of one a place: {workers}")
if ends["expired"] < 1 or ends["failed"] < 2:
    bad.append(f"attempts: {dict(ends)}")
for line in bad:
    print("slurm:", line, file=sys.stderr)
print(f"sizes of the array: {' '.join(map(str, grown))}; workers known: {len(workers)}; attempts: {dict(ends)}")
print(f"{len(jobs)} jobs through an array that grew to {max(grown, default=0)} tasks and was empty {empty} s after the last: "
      f"{lost} lost, {twice} counted twice; {ends['failed']} leases handed back ({preempted} by preemption), {ends['expired']} expired by a kill")
sys.exit(1 if bad or twice else 0)
PYTHON
