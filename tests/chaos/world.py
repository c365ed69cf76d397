"""The world that faults are done to: PostgreSQL, two honeds on it, workers, and the links between them.

Expects namespaces of its own (tests/chaos/run.sh makes them), so that ports are fixed and mounts are nobody
else's: ROOT/pg and ROOT/artifacts are small file systems in memory that can be filled up."""
import glob
import os
import pathlib
import pwd
import signal
import struct
import subprocess
import sys
import time

from programs import Keeper, Program, descendants
from proxy import Network
from rest import Lost, Rest

HERE = pathlib.Path(__file__).resolve().parent
POSTGRES_PORT = 5432
HONED_PORT = {"a": 7001, "b": 7002}
CLIENTS_PORT = {"a": 8001, "b": 8002}   # links that clients see
DATABASE_PORT = {"a": 6001, "b": 6002}  # links that honeds see
URLS = ",".join(f"http://127.0.0.1:{port}" for port in CLIENTS_PORT.values())
LEASE_SECONDS = 5


def postgres_tools():
    found = sorted(glob.glob("/usr/lib/postgresql/*/bin"), key=lambda path: float(path.split("/")[4]))
    if not found:
        sys.exit(77)
    return found[-1]


class World:
    def __init__(self, root, binaries, seed, wall_clock=None, log=print):
        self.root = pathlib.Path(root)
        self.bin = binaries          # {"a": folder, "b": folder} of honed; folder "tools" of the others
        self.seed = seed
        self.say = log
        self.findings = []           # (kind, text) that the world itself noticed
        self.tools = postgres_tools()
        self.user = (pwd.getpwnam("postgres").pw_uid, pwd.getpwnam("postgres").pw_gid) \
            if os.geteuid() == 0 else None
        self.wall_clock = wall_clock  # the library of wall_clock.cc, or None: clocks stay as they are
        self.logs = self.root / "logs"
        self.journals = self.root / "journals"
        self.clocks = self.root / "clocks"
        for folder in (self.logs, self.journals, self.clocks):
            folder.mkdir()
        self.database = f"postgresql://hone@127.0.0.1:{POSTGRES_PORT}/hone"
        self.network = Network(seed)
        self.urls = URLS
        self.programs = {}
        self.keeper = Keeper([], self.note)

    def note(self, kind, text):
        self.findings.append((kind, text))
        self.say(f"  ! {kind}: {text}")

    # Clocks: each group of programs has a file that says how far its wall clock is off.

    def clock(self, name):
        if not self.wall_clock:
            return {}
        path = self.clocks / name
        if not path.exists():
            path.write_bytes(struct.pack("=q", 0))
            path.chmod(0o644)
        return {"LD_PRELOAD": str(self.wall_clock), "HONE_WALL_CLOCK": str(path)}

    def set_clock(self, name, seconds):
        """In one write, in place: the programs have it mapped."""
        with open(self.clocks / name, "r+b", buffering=0) as file:
            file.write(struct.pack("=q", int(seconds * 1e9)))

    def check_clock(self):
        """Whether a step of PostgreSQL's clock is seen by it."""
        now = "SELECT extract(epoch FROM clock_timestamp())"
        self.set_clock("postgres", 3600)
        ahead = float(self.sql_value(now)) - time.time()
        self.set_clock("postgres", 0)
        if abs(ahead - 3600) > 60:
            raise RuntimeError(f"the clock was set 3600 s ahead and is {ahead:.0f} s ahead")

    # Programs.

    def add(self, name, argv, **more):
        program = Program(name, [str(part) for part in argv], self.logs / f"{name}.log", **more)
        self.programs[name] = program
        self.keeper.programs.append(program)
        return program

    def start_postgres(self):
        data = self.root / "pg" / "data"
        run = {"user": self.user[0], "group": self.user[1], "extra_groups": []} if self.user else {}
        if self.user:
            os.chown(self.root / "pg", *self.user)
        subprocess.run([f"{self.tools}/initdb", "-D", data, "-U", "hone", "-A", "trust", "-E", "UTF8",
                        "--locale=C"], check=True, stdout=subprocess.DEVNULL, cwd="/", **run)
        settings = {"listen_addresses": "127.0.0.1", "port": POSTGRES_PORT, "max_connections": 60,
                    "unix_socket_directories": "", "fsync": "on", "max_wal_size": "64MB",
                    "min_wal_size": "32MB", "shared_buffers": "64MB", "log_min_messages": "warning",
                    "restart_after_crash": "on", "dynamic_shared_memory_type": "mmap"}
        with open(data / "postgresql.auto.conf", "a", encoding="ascii") as file:
            file.writelines(f"{name} = '{value}'\n" for name, value in settings.items())
        self.add("postgres", [f"{self.tools}/postgres", "-D", data], user=self.user,
                 env=self.clock("postgres")).start()
        self.within(60, "PostgreSQL's start", lambda: self.sql_value("SELECT 1", "postgres") == "1")
        self.sql("CREATE DATABASE hone", "postgres")

    def sql(self, text, database="hone"):
        return subprocess.run(
            ["psql", "-X", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-c", text, "-d",
             f"postgresql://hone@127.0.0.1:{POSTGRES_PORT}/{database}?connect_timeout=5"],
            capture_output=True, text=True, timeout=60)

    def sql_value(self, text, database="hone"):
        done = self.sql(text, database)
        return done.stdout.strip() if done.returncode == 0 else None

    def add_honed(self, name, folder=None):
        """Adds coordinator `name` behind its links; all share one folder of artifacts."""
        data = self.root / f"data-{name}"
        data.mkdir(mode=0o711, exist_ok=True)
        program = f"{folder or self.bin[name]}/honed"
        options = subprocess.run([program, "--help"], capture_output=True, text=True, check=True).stdout
        shared = ["--artifacts", self.root / "artifacts"] if "--artifacts " in options else []
        if not shared and not (data / "artifacts").is_symlink():
            (data / "artifacts").symlink_to(self.root / "artifacts")
        self.network.add(f"database-{name}", DATABASE_PORT[name], POSTGRES_PORT)
        self.network.add(f"clients-{name}", CLIENTS_PORT[name], HONED_PORT[name])
        database = f"postgresql://hone@127.0.0.1:{DATABASE_PORT[name]}/hone"
        return self.add(
            f"honed-{name}",
            [program, *shared, "--data", data, "--database", database, "--listen",
             f"127.0.0.1:{HONED_PORT[name]}", "--allow-host", f"127.0.0.1:{CLIENTS_PORT[name]}",
             "--lease-seconds", LEASE_SECONDS],
            env=self.clock(f"honed-{name}"))

    def ready(self, name):
        try:
            rest = Rest([f"http://127.0.0.1:{HONED_PORT[name]}"], "", timeout=5)
            return rest.call("GET", "/readyz").status == 200
        except Lost:
            return False

    def hone(self, *arguments):
        done = subprocess.run(
            [f"{self.bin['tools']}/hone", *map(str, arguments)], capture_output=True, text=True,
            timeout=120, env={**os.environ, "HONE_URL": self.urls, "HONE_TOKEN_FILE": str(self.admin)})
        if done.returncode != 0:
            raise RuntimeError(f"hone {' '.join(map(str, arguments))}: {done.stderr}")
        return done.stdout

    def make_tokens(self):
        """Of the honeds that began together on an empty database one has made the first token."""
        found = list(self.root.glob("data-*/admin.token"))
        if len(found) != 1:
            raise RuntimeError(f"{len(found)} first tokens: {found}")
        self.admin = found[0]
        self.tokens = self.root / "tokens"
        self.tokens.mkdir()
        for role in ("worker", "submitter", "viewer"):
            self.hone("token", "create", f"chaos-{role}", "--role", role, "--output",
                      self.tokens / role)

    def add_target(self):
        """A product so small that a real worker builds and measures it in a moment."""
        product = self.root / "product"
        product.mkdir()
        (product / "main.c").write_text(
            '#include <stdio.h>\nint main(void) {\n  unsigned sum = 1;\n'
            '  for (unsigned i = 0; i < 100000; i++) sum = sum * 33 + i;\n'
            '  printf("%u\\n", sum);\n  return 0;\n}\n')
        (product / "hone.yaml").write_text(
            "name: chaos\nbuild:\n  commands:\n  - ['{cc}', -O3, '-o', '{build}/small', "
            "'{source}/main.c']\n  binaries: [small]\nbenchmark:\n  command: ['{build}/small']\n"
            "  metric: {metric: text_bytes}\n  links: 1\n")
        self.hone("target", "add", product)

    def add_driver(self, script, name, *arguments, **more):
        return self.add(name, [sys.executable, HERE / script, "--url", URLS, "--folder", self.journals,
                               *arguments], folder=str(HERE), **more)

    def add_workers(self, count, real, *more):
        for number in range(count):
            self.add_driver("worker.py", f"worker-{number}", "--name", f"worker-{number}",
                            "--token-file", self.tokens / "worker", "--slots", 3, "--seed", self.seed,
                            *more, env=self.clock("workers"), stays=True)
        for number in range(real):
            work = self.root / f"work-{number}"
            work.mkdir(mode=0o711)
            self.add(f"real-{number}",
                     [f"{self.bin['tools']}/hone-worker", "--url", URLS, "--token-file",
                      self.tokens / "worker", "--name", f"real-{number}", "--work", work, "--launcher",
                      f"{self.bin['tools']}/hone-cc", "--lock-folder", work, "--slots", 1],
                     stays=True)

    def named(self, prefix):
        return [program for name, program in self.programs.items() if name.startswith(prefix)]

    def within(self, seconds, what, condition):
        end = time.monotonic() + seconds
        while not condition():
            if time.monotonic() > end:
                raise RuntimeError(f"{what} did not happen within {seconds} s")
            time.sleep(0.1)

    def backends(self):
        postgres = self.programs["postgres"]
        return descendants(postgres.process.pid) if postgres.alive() else []

    def stop(self, names):
        """Asks programs to stop; notes those that do not do it, or end otherwise than they should."""
        for name in names:
            with self.keeper.lock:
                code = self.programs[name].stop()
            if code is None:
                self.note("stuck", f"{name} did not stop")
            elif code != 0:
                self.note("crashed", f"{name} ended with {code} when it was asked to stop")

    def kill_everything(self):
        self.keeper.over.set()
        for program in self.programs.values():
            program.wanted = False
            if program.alive():
                program.send_all(signal.SIGCONT)
                program.send_all(signal.SIGKILL)
