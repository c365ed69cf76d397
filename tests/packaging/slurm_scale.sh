#!/usr/bin/env bash
# The decisions of hone-slurm-scale and of hone-worker.sbatch, with programs of Slurm played by scripts
# (tests/e2e/slurm.sh has the real ones).
set -uo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
W=$(mktemp -d)
trap 'rm -rf "$W"' EXIT
wrong=0
no() { printf 'WRONG: %s\n' "$*"; wrong=$((wrong + 1)); }
mkdir "$W/bin"
for program in curl squeue sbatch scancel; do
  printf '#!/bin/bash\nprintf "%%s " "${0##*/}" "$@" >> "$W/calls"; echo >> "$W/calls"\n[ -t 0 ] || cat > "$W/$(basename "$0").in"\ncat "$W/%s.out" 2>/dev/null\nexit "$(cat "$W/%s.rc" 2>/dev/null || echo 0)"\n' \
    "$program" "$program" > "$W/bin/$program"
  chmod +x "$W/bin/$program"
done
export W PATH=$W/bin:$PATH XDG_CACHE_HOME=$W/cache
unset HONE_URL HONE_TOKEN_FILE
echo hone_secret > "$W/token"

# now QUEUED LEASED [STATE]...: what honed and Slurm say, a task for each STATE
now() {
  printf '# HELP hone_jobs Jobs in the store, by state\nhone_jobs{state="queued"} %s\nhone_jobs{state="leased"} %s\n' "$1" "$2" > "$W/curl.out"
  shift 2
  : > "$W/squeue.out" > "$W/calls"
  local i=0
  for state in "$@"; do
    i=$((i + 1))
    echo "7_$i $state" >> "$W/squeue.out"
  done
}
scale() { "$here/deploy/slurm/hone-slurm-scale" --token-file "$W/token" "$@" < /dev/null > "$W/out" 2>&1; }
called() { grep -qE -- "$1" "$W/calls" || no "no call of $1 in: $(cat "$W/calls") ($(cat "$W/out"))"; }
silent() { ! grep -qE "^$1" "$W/calls" || no "$1 was called: $(cat "$W/calls")"; }

now 0 0 && scale || no "an empty queue: $(cat "$W/out")"
silent sbatch && silent scancel
now 9 0 && scale --sbatch --partition=p -- --token-file /shared/t || no "$(cat "$W/out")"
called 'sbatch .*--job-name hone-worker --array 1-3 --partition=p -- .*/hone-worker.sbatch --url http://127.0.0.1:7077 --token-file /shared/t '
grep -qx 'Authorization: Bearer hone_secret' "$W/curl.in" || no "the token did not reach curl"
! grep -q hone_secret "$W/calls" || no "the token stands on a command line"
now 1000000 4 RUNNING PENDING && scale --max 5 || no "$(cat "$W/out")"
called 'sbatch .*--array 1-3 '
now 4 4 RUNNING RUNNING && scale || no "$(cat "$W/out")"
silent sbatch && silent scancel
now 1 0 PENDING PENDING RUNNING PENDING && scale --jobs-per-worker 1 || no "$(cat "$W/out")"
called 'scancel --state=PENDING 7_1 7_2 7_4 '
now 0 0 RUNNING RUNNING && scale || no "running workers leave by themselves: $(cat "$W/out")"
silent scancel

now 4 0 && echo 7 > "$W/curl.rc"
scale
[ $? = 6 ] && silent sbatch || no "honed is away: $(cat "$W/out")"
rm "$W/curl.rc" && now 4 0 && echo 'hello' > "$W/curl.out"
scale
[ $? = 6 ] && silent sbatch || no "an answer of somebody else: $(cat "$W/out")"
now 4 0 && echo 1 > "$W/squeue.rc"
scale
[ $? = 1 ] && silent sbatch || no "without squeue the number of tasks is not known: $(cat "$W/out")"
rm "$W/squeue.rc"
refused() { # WORDS ARGUMENTS...
  local words=$1
  shift
  scale "$@"
  [ $? = 2 ] && grep -qF -- "$words" "$W/out" || no "$*: $(cat "$W/out")"
}
refused '1 to 1000' --max 0
refused "not '5x'" --every 5x
refused 'URL' --url ftp://x
refused 'unknown option' --maximum 3
refused 'wants a value' --max
refused 'cannot read' --token-file "$W/none"
mkdir -p "$W/cache/hone" && exec 7> "$W/cache/hone/slurm-scale-hone-worker.lock" && flock 7
scale
[ $? = 5 ] || no "two scalers of a name: $(cat "$W/out")"
exec 7>&-

# Tasks of one node: each has a place, which is free again when its last process has ended.
cat > "$W/worker" <<'WORKER'
#!/bin/bash
echo "$@" >> "$W/workers"
exec sleep 60
WORKER
chmod +x "$W/worker"
export HONE_WORKER=$W/worker HONE_SLURM_FOLDER=$W/node HONE_SLURM_IDLE=9 SLURMD_NODENAME=Node_7
task() { exec "$here/deploy/slurm/hone-worker.sbatch" --url http://u "$@" > "$W/task.out" 2>&1; }
started() { for ((i = 0; i < 100; i++)); do [ "$(grep -c . "$W/workers" 2>/dev/null)" = "$1" ] && return; sleep 0.05; done; no "worker $1 did not start: $(cat "$W/task.out")"; }
task one & first=$!
started 1
task two & second=$!
started 2
kill "$first"
wait "$first" 2>/dev/null
task three & third=$!
started 3
kill "$second" "$third"
wait 2>/dev/null
diff "$W/workers" - <<WANTED || no "places of a node"
--name node-7-0 --work $W/node/0/work --exit-when-idle 9 --url http://u one
--name node-7-1 --work $W/node/1/work --exit-when-idle 9 --url http://u two
--name node-7-0 --work $W/node/0/work --exit-when-idle 9 --url http://u three
WANTED
mkdir -m 777 "$W/theirs"
if [ "$(id -u)" = 0 ]; then
  chown 60000 "$W/theirs"
  (HONE_SLURM_FOLDER=$W/theirs task) && no "a folder of somebody else was taken"
fi
[ $wrong = 0 ] && echo "decisions of the scaler and places of a node: as they should be"
exit $((wrong > 0))
