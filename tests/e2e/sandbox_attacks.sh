#!/usr/bin/env bash
# Candidates that attack the machine that measures them: a fork bomb, memory bombs, 10 GB of output, and
# programs that read other users' files, open sockets, look into other processes, or outlive their
# parent, as benchmarks and from within a build. Each must get its outcome, nothing may escape, and
# the next job on the same slot must be measured as if nothing had been. Then what the sandbox costs.
#
#   sandbox_attacks.sh [--build DIR] [--pairs N]
#
#   --build DIR   build tree with the programs in bin/ and tests/ [build/dev, built if missing]
#   --pairs N     pairs of runs, with and without sandbox, for its cost [100]
#
# The baseline of each product is harmless, its candidate is not: the build of a candidate finds
# HONE_POLICY set. Prints the figure last; exit code 1 if it falls short, 77 where the machine does not
# allow the whole sandbox.
here=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
build=$here/build/dev pairs=100
while [ $# -gt 0 ]; do
  case $1 in
    --build) build=$(cd "$2" && pwd) || exit 2; shift 2 ;;
    --pairs) pairs=$2; shift 2 ;;
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
  clean_up
}
trap ended EXIT

# --- Bait: what an attack must not reach --------------------------------------------------------------
world_up --no-worker
"$BIN/hone" token create attacked --role worker --json > "$W/token.json" || no "no worker token"
(umask 077 && json "$W/token.json" token > "$W/worker.token")
echo "a neighbour's file that everybody may read" > "$W/secret"
chmod 644 "$W/secret"
cat > "$W/bait.py" <<'PYTHON'
# Listens on every kind of socket and writes a line for whoever connects or sends.
import os, select, socket, sys
folder = sys.argv[1]
tcp = socket.socket(); tcp.bind(("127.0.0.1", 0)); tcp.listen()
udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); udp.bind(("127.0.0.1", 0))
path = socket.socket(socket.AF_UNIX); path.bind(folder + "/bait.socket"); path.listen()
os.chmod(folder + "/bait.socket", 0o777)
name = f"hone-bait-{os.getpid()}"
abstract = socket.socket(socket.AF_UNIX); abstract.bind("\0" + name); abstract.listen()
with open(folder + "/bait.ready.part", "w") as facts:
    facts.write(f"tcp {tcp.getsockname()[1]}\nudp {udp.getsockname()[1]}\n"
                f"unix {folder}/bait.socket\nabstract {name}\n")
os.rename(folder + "/bait.ready.part", folder + "/bait.ready")
hits = open(folder + "/bait.hits", "a", buffering=1)
while True:
    for ready in select.select([tcp, udp, path, abstract], [], [])[0]:
        if ready is udp:
            ready.recv(100)
        else:
            ready.accept()[0].close()
        hits.write({tcp: "tcp", udp: "udp", path: "unix", abstract: "abstract"}[ready] + "\n")
PYTHON
touch "$W/bait.hits"
python3 "$W/bait.py" "$W" &
bait=$!
await 20 test -e "$W/bait.ready" || { echo "WRONG: no bait"; exit 1; }

"$BIN/hone-worker" --token-file "$W/worker.token" --name attacked --work "$W/work" --slots 1 \
  --require-sandbox > "$W/worker.log" 2>&1 &
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

# --- The attacks --------------------------------------------------------------------------------------
cat > "$W/attack.c" <<'C'
// Exit code 7: everything was refused, as it should be. 99: something was not.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

// Filled for the compiler, too, which otherwise leaves out memory that nobody reads.
static void fill(char* memory, size_t size) {
  memset(memory, 1, size);
  __asm__ volatile("" : : "r"(memory) : "memory");
}

static int answer(void) {
  puts("answer");
  puts("time 1.5");
  return 0;
}

#if !defined(CANDIDATE) || defined(ATTACK_none)
int main(void) { return answer(); }

#elif defined(ATTACK_honest)
int main(void) {
  volatile unsigned long sum = 0;
  for (unsigned long i = 0; i < 1000; ++i) sum += i;
  return answer();
}

#elif defined(ATTACK_forks)
int main(void) {
  for (;;) {
    if (fork() < 0) usleep(1000);
  }
}

#elif defined(ATTACK_memory)
int main(void) {
  size_t size = (size_t)1 << 32;
  char* memory = malloc(size);
  if (memory == NULL) {
    perror("malloc");  // Cannot allocate memory
    return 1;
  }
  fill(memory, size);
  return answer();
}

#elif defined(ATTACK_memories)
// Each process stays below the limit of a process.
int main(void) {
  for (int i = 0; i < 16; ++i) {
    if (fork() == 0) {
      size_t size = (size_t)200 << 20;
      char* memory = malloc(size);
      if (memory != NULL) fill(memory, size);
      pause();
    }
  }
  for (int status = 0; wait(&status) > 0;) {
    if (WIFSIGNALED(status)) return 1;
  }
  return answer();
}

#elif defined(ATTACK_output)
int main(void) {
  static char block[1 << 20];
  for (int i = 0; i < 10 * 1024; ++i) {
    if (write(1, block, sizeof block) < 0) {
      perror("write");
      return 1;
    }
  }
  return answer();
}

#elif defined(ATTACK_files)
int main(void) {
  static char block[1 << 20];
  for (int i = 0; i < 10 * 1024; ++i) {
    char name[32];
    snprintf(name, sizeof name, "file-%d", i / 100);
    int file = open(name, O_WRONLY | O_CREAT | O_APPEND, 0600);
    for (size_t done = 0; done < sizeof block;) {
      ssize_t size = write(file, block, sizeof block - done);
      if (size < 0) {
        perror("write");
        return 1;
      }
      done += (size_t)size;
    }
    close(file);
  }
  return answer();
}

#elif defined(ATTACK_outlives)
int main(void) {
  if (fork() == 0) {
    setsid();
    signal(SIGTERM, SIG_IGN);
    signal(SIGHUP, SIG_IGN);
    if (fork() == 0) {
      for (int fd = 0; fd < 64; ++fd) close(fd);
      for (;;) pause();
    }
    _exit(0);
  }
  usleep(50000);
  return answer();
}

#else
static int escaped = 0;
static void tried(const char* what, long result) {
  if (result >= 0) {
    escaped = 1;
    fprintf(stderr, "ESCAPED: %s\n", what);
  } else {
    fprintf(stderr, "refused: %s: %s\n", what, strerror(errno));
  }
}
static void reads(const char* path) {
  char what[4096];
  snprintf(what, sizeof what, "read %s", path);
  tried(what, open(path, O_RDONLY));
  snprintf(what, sizeof what, "write %s", path);
  tried(what, open(path, O_WRONLY | O_APPEND));
}
static long reaches(int family, int type, const void* address, socklen_t size) {
  int fd = socket(family, type, 0);
  if (fd < 0 || connect(fd, address, size) != 0) return -1;
  return send(fd, "x", 1, MSG_NOSIGNAL);
}
static long reaches_port(int type, int port) {
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((unsigned short)port)};
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  long result = reaches(AF_INET, type, &address, sizeof address);
  // A datagram to a closed port is refused by the next call only.
  if (result < 0 || type != SOCK_DGRAM) return result;
  int fd = socket(AF_INET, type, 0);
  connect(fd, (struct sockaddr*)&address, sizeof address);
  send(fd, "x", 1, MSG_NOSIGNAL);
  usleep(20000);
  return send(fd, "x", 1, MSG_NOSIGNAL);
}
static long reaches_name(const char* name, int abstract) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  size_t length = strlen(name);
  memcpy(address.sun_path + abstract, name, length);
  return reaches(AF_UNIX, SOCK_STREAM, &address,
                 (socklen_t)(offsetof(struct sockaddr_un, sun_path) + (size_t)abstract + length + !abstract));
}

int main(int argc, char** argv) {
  char kind[32], value[4000];
  FILE* facts = fopen(argc > 1 ? argv[1] : "/dev/null", "r");
  if (facts == NULL) return 3;
  while (fscanf(facts, "%31s %3999s", kind, value) == 2) {
    int number = atoi(value);
#if defined(ATTACK_reads)
    if (strcmp(kind, "read") == 0) reads(value);
#elif defined(ATTACK_sockets)
    if (strcmp(kind, "tcp") == 0) tried("tcp", reaches_port(SOCK_STREAM, number));
    if (strcmp(kind, "udp") == 0) tried("udp", reaches_port(SOCK_DGRAM, number));
    if (strcmp(kind, "unix") == 0) tried("unix socket", reaches_name(value, 0));
    if (strcmp(kind, "abstract") == 0) tried("abstract socket", reaches_name(value, 1));
#elif defined(ATTACK_ptraces)
    if (strcmp(kind, "pid") == 0) {
      char path[64];
      tried("attach to the worker", ptrace(PTRACE_ATTACH, number, 0, 0));
      tried("signal the worker", kill(number, 0));
      snprintf(path, sizeof path, "/proc/%d/environ", number);
      tried(path, open(path, O_RDONLY));
    }
#endif
    (void)number;
  }
#if defined(ATTACK_reads)
  tried("write the source", open(argv[1], O_WRONLY | O_APPEND));
  tried("write a new file of the system", open("/usr/bin/hone-attack", O_WRONLY | O_CREAT, 0755));
#elif defined(ATTACK_sockets)
  tried("vsock", socket(AF_VSOCK, SOCK_STREAM, 0));
  tried("raw socket", socket(AF_INET, SOCK_RAW, IPPROTO_ICMP));
  tried("packet socket", socket(AF_PACKET, SOCK_RAW, 0));
  tried("kernel crypto", socket(AF_ALG, SOCK_SEQPACKET, 0));
#elif defined(ATTACK_ptraces)
  char byte;
  struct iovec here = {&byte, 1}, there = {(void*)main, 1};
  tried("attach to init", ptrace(PTRACE_ATTACH, 1, 0, 0));
  tried("seize init", ptrace(PTRACE_SEIZE, 1, 0, 0));
  tried("be traced", ptrace(PTRACE_TRACEME, 0, 0, 0));
  tried("read init's memory", process_vm_readv(1, &here, 1, &there, 1, 0));
  tried("/proc/1/mem", open("/proc/1/mem", O_RDWR));
  for (int fd = 3; fd < 64; ++fd) {  // the report of how it ended is written there
    char path[64];
    snprintf(path, sizeof path, "/proc/1/fd/%d", fd);
    if (open(path, O_WRONLY) >= 0) tried("a descriptor of init", 0);
  }
  tried("a user namespace", unshare(CLONE_NEWUSER));
  tried("mount", mount("none", "/tmp", "tmpfs", 0, NULL));
  tried("bpf", syscall(SYS_bpf, 0, NULL, 0));
  tried("io_uring", syscall(SYS_io_uring_setup, 1, NULL));
  tried("become root", setuid(0));
#endif
  return escaped ? 99 : 7;
}
#endif
C

cat > "$W/make.sh" <<'SH'
# make.sh SOURCE CC: the candidate's program is another one than the baseline's, and its build may
# attack, too. Run in the build folder.
set -eu
source=$1 cc=$2
compile() { # OUTPUT OPTIONS...
  output=$1
  shift
  "$cc" -O3 "$@" -c "$source/attack.c" -o "$output.o"
  "$cc" "$output.o" -o "$output"
}
attack=$(cat "$source/attack")
if [ -z "${HONE_POLICY:-}" ]; then
  compile attack -DATTACK_none
elif [ "$attack" = build ]; then
  compile attack -DCANDIDATE -DATTACK_honest
  for kind in reads sockets ptraces; do
    compile "attack-$kind" -DCANDIDATE "-DATTACK_$kind"
    code=0
    "./attack-$kind" "$source/facts.txt" || code=$?
    [ $code = 7 ] || { echo "ESCAPED: $kind in a build: exit code $code" >&2; exit 1; }
  done
  compile attack-outlives -DCANDIDATE -DATTACK_outlives
  ./attack-outlives > /dev/null
else
  compile attack -DCANDIDATE "-DATTACK_$attack"
fi
SH

# product NAME ATTACK: registers a product whose candidate does that.
product() {
  local name=$1 folder=$W/products/$1
  mkdir -p "$folder"
  cp "$W/attack.c" "$W/make.sh" "$folder"
  echo "$2" > "$folder/attack"
  {
    cat "$W/bait.ready"
    echo "tcp ${HONE_URL##*:}"
    echo "pid $worker"
    for file in /etc/shadow "$W/secret" "$W/worker.token" "$W/data/admin.token" "$here/README.md" \
                "$W/worker.log" "$W/work/spool" $(ls -d "$W"/work/targets/victim/*/source/attack 2> /dev/null); do
      echo "read $file"
    done
  } > "$folder/facts.txt"
  cat > "$folder/hone.yaml" <<YAML
name: $name
build:
  commands: [[sh, "{source}/make.sh", "{source}", "{cc}"]]
  binaries: [attack]
  timeout_seconds: 120
benchmark:
  command: ["{build}/attack", "{input}"]
  inputs: [{name: facts, file: facts.txt}]
  metric: {metric: printed, pattern: "time ([0-9.]+)"}
  timeout_seconds: 6
  memory_mib: 300
tune: {include: [attack.c]}
YAML
  "$BIN/hone" target add "$folder" > "$W/$name.add" 2>&1 || no "$name: $(cat "$W/$name.add")"
}

# ends NAME OUTCOME REASON-PATTERN: measures the candidate, which must end like that.
ends() {
  local name=$1 outcome=$2 pattern=$3
  "$BIN/hone" job submit "$name" --stage race --wait --json --knob unroll-count=4 \
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
  if grep -q 'sandbox:' "$W/$name.show"; then
    no "$name: measured with less than the whole sandbox: $(json "$W/$name.whole.json" result warnings)"
  fi
  printf '%-14s %-15s %s\n' "$name" "$got" "$(sed -n 1p <<< "$reason" | cut -c 1-120)"
}

attacks=0 outcomes=0 escapes=0 unaffected=0
# attack KIND OUTCOME REASON-PATTERN: the attack, then what it may have left, then an honest job.
attack() {
  local kind=$1 before=$wrong
  attacks=$((attacks + 1))
  product "$kind" "$kind"
  ends "$@"
  [ $wrong = "$before" ] && outcomes=$((outcomes + 1))
  local left
  left=$(ps -eo pid,args | grep -F "$W/work/targets/$kind/" | grep -v grep)
  [ -z "$left" ] || { no "$kind: still running: $left"; escapes=$((escapes + 1)); }
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
attack forks limit_exceeded 'processes'
attack memory limit_exceeded 'memory'
attack memories limit_exceeded 'memory, all its processes'
attack output limit_exceeded 'output limit'
attack files limit_exceeded 'filled the folder'
attack reads miscompiled 'exit code 7'
attack sockets miscompiled 'exit code 7'
attack ptraces miscompiled 'exit code 7'
attack outlives ok ''
attack build ok ''
kill -0 "$worker" 2> /dev/null || no "the worker is gone: $(tail -3 "$W/worker.log")"
kill -TERM "$worker"
wait "$worker" || no "the worker ended with $?: $(tail -3 "$W/worker.log")"
worker=

# --- A worker without rights for control groups: refuses, or says in every result what is missing ------
if [ "$(id -u)" = 0 ]; then
  install -d -o nobody -m 755 "$W/plain"
  "$BIN/hone" token create plain --role worker --json > "$W/token.json" || no "no worker token"
  (umask 077 && json "$W/token.json" token > "$W/plain/token")
  chown nobody "$W/plain/token"
  plain() { # in a subshell, which it becomes
    exec setpriv --reuid=nobody --regid=nogroup --clear-groups env HOME="$W/plain" "$BIN/hone-worker" \
      --token-file "$W/plain/token" --name plain --work "$W/plain/work" --lock-folder "$W/plain" \
      --slots 1 --once "$@" > "$W/plain.log" 2>&1
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
  worker=
fi
kill "$bait"
wait "$bait" 2> /dev/null
bait=
world_down

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
