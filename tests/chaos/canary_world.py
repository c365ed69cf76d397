"""A service for each state, HAProxy in front of them, Prometheus and honeds on one PostgreSQL, all real."""
import json
import random
import socket
import sys

from canary_states import SCRAPE, WINDOW
from rest import Lost, Rest
from world import HERE, HONED_PORT, POSTGRES_PORT, World

PROMETHEUS_PORT = 9090
LEASE_PORT = 7000       # at HAProxy: whichever honed answers
FRONT, OLD, NEW = 9100, 9200, 9300   # first ports: users', baselines', canaries'
NO_CANARY = "00000000-0000-4000-8000-000000000000"

HAPROXY = """global
  stats socket {socket} mode 600 level admin
  hard-stop-after 1s
defaults
  mode http
  timeout connect 500ms
  timeout client 10s
  timeout server 10s
  timeout check 500ms
  option redispatch 1
listen coordinators
  bind 127.0.0.1:{lease_port}
  option httpchk GET /healthz
  http-check send hdr Host 127.0.0.1
  default-server check inter 500ms fall 1 rise 1
  server a 127.0.0.1:{a}
  server b 127.0.0.1:{b}
"""
# As README.md has it: the canary is up while honed lets it have traffic and while it answers itself; the spare
# serves when nobody else does, as when a promoted canary dies.
SERVICE = """backend lease_{name}
  option httpchk
  http-check connect addr 127.0.0.1 port {lease_port}
  http-check send meth GET uri /v1/canaries/{id}/lease hdr Host 127.0.0.1
  http-check expect status 200
  http-check connect
  http-check send meth GET uri /healthz hdr Host 127.0.0.1
  http-check expect status 200
  server lease 127.0.0.1:{new} check inter 500ms
frontend front_{name}
  bind 127.0.0.1:{front}
  default_backend {name}
backend {name}
  server old 127.0.0.1:{old} weight 100
  server new 127.0.0.1:{new} weight 0 track lease_{name}/lease
  server spare 127.0.0.1:{old} backup
"""


class CanaryWorld(World):
    def __init__(self, root, binaries, seed, states, log=print):
        super().__init__(root, {"a": binaries, "b": binaries, "tools": binaries}, seed, log=log)
        self.states = states
        self.urls = ",".join(f"http://127.0.0.1:{port}" for port in HONED_PORT.values())
        self.socket = self.root / "haproxy.sock"
        self.requests = self.journals / "requests"
        self.ids = {state.name: NO_CANARY for state in states}   # of the canaries in this round, by state
        self.versions = {}
        self.random = random.Random(seed)

    # Programs.

    def add_honed(self, name, folder=None):
        """Without links in between: here programs are killed, not connections."""
        data = self.root / f"data-{name}"
        data.mkdir(mode=0o711, exist_ok=True)
        return self.add(f"honed-{name}", [
            f"{folder or self.bin[name]}/honed", "--artifacts", self.root / "artifacts", "--data", data, "--database",
            f"postgresql://hone@127.0.0.1:{POSTGRES_PORT}/hone", "--listen", f"127.0.0.1:{HONED_PORT[name]}",
            "--allow-host", f"127.0.0.1:{LEASE_PORT}"])

    def start(self):
        self.start_postgres()
        self.keeper.start()
        for name in ("a", "b"):
            self.start_program(self.add_honed(name))
        self.within(90, "the start of two honeds", lambda: all(self.ready(name) for name in ("a", "b")))
        self.admin = next(self.root.glob("data-*/admin.token"))
        self.rest = Rest(self.urls.split(","), self.admin.read_text().strip(), timeout=30)
        for number, state in enumerate(self.states):
            self.start_program(self.add_instance(f"old-{state.name}", OLD + number, "baseline", state.baseline))
            self.start_program(self.add_instance(f"new-{state.name}", NEW + number, "canary", state.canary))
        self.start_prometheus()
        self.add("haproxy", ["haproxy", "-q", "-db", "-f", self.root / "haproxy.cfg"])
        for state in self.states:
            self.describe(state)
        self.restart_haproxy()
        self.start_load()
        self.within(60, "the service's first minute of requests", self.is_known)

    def is_known(self):
        """Whether Prometheus has seen enough failures of what is to wait for its budget."""
        asked = Rest([f"http://127.0.0.1:{PROMETHEUS_PORT}"], "", timeout=5)
        try:
            found = asked.call("GET", "/api/v1/query?query=sum%20by%20(shop)(increase(request_failures_total%5B60s%5D))")
        except Lost:
            return False
        spent = {entry["metric"]["shop"]: float(entry["value"][1]) for entry in found.document["data"]["result"]}
        return all(spent.get(state.name, 0) > 4 if state.baseline else state.name in spent for state in self.states)

    def start_program(self, program):
        with self.keeper.lock:
            program.start()
        return program

    def add_instance(self, name, port, group, options):
        return self.add(name, [sys.executable, HERE / "canary_service.py", "--listen", port, "--name", group, "--seed",
                               self.seed, *options], stays=True)

    def start_prometheus(self):
        jobs = [{"targets": [f"127.0.0.1:{first + number}"], "labels": {"shop": state.name, "group": group}}
                for number, state in enumerate(self.states) for first, group in ((OLD, "baseline"), (NEW, "canary"))]
        config = {"global": {"scrape_interval": f"{SCRAPE * 1000:.0f}ms", "scrape_timeout": f"{SCRAPE * 1000:.0f}ms"},
                  "scrape_configs": [{"job_name": "shops", "static_configs": jobs}]}
        (self.root / "prometheus.yml").write_text(json.dumps(config))  # JSON is YAML
        self.start_program(self.add("prometheus", [
            "prometheus", f"--config.file={self.root}/prometheus.yml", f"--storage.tsdb.path={self.root}/tsdb",
            f"--web.listen-address=127.0.0.1:{PROMETHEUS_PORT}", "--log.level=warn"]))

    def start_load(self):
        services = ",".join(f"{state.name}={FRONT + number}:{state.rate}" for number, state in enumerate(self.states))
        self.start_program(self.add("load", [
            sys.executable, HERE / "canary_load.py", "--journal", self.requests, "--services", services, "--seed",
            self.seed], stays=True))

    # What honed is told.

    def call(self, method, path, body=None):
        answer = self.rest.insist(method, path, body, stop=lambda: False)
        if answer.status >= 300:
            raise RuntimeError(f"{method} {path}: {answer.status} {answer.body.decode(errors='replace')[:500]}")
        return answer.document

    def describe(self, state):
        product = self.root / state.target
        product.mkdir()
        (product / "hone.yaml").write_text(
            f"name: {state.target}\nbuild:\n  commands: [['true']]\n  binaries: [x]\nbenchmark:\n  command: ['{{build}}/x']\n")
        self.hone("target", "add", product)
        compiler = {"family": "clang", "major": 19}
        published = self.call("POST", f"/v1/policies/{state.target}", {"document": {
            "format": 1, "target": state.target, "sequence": 1, "compiler": compiler, "rules": []}})
        self.versions[state.name] = published["version"]
        self.call("PUT", f"/v1/targets/{state.target}/service", {
            "prometheus": f"http://127.0.0.1:{PROMETHEUS_PORT}", "selector": {"shop": state.name},
            "metrics": {"latency": "request_seconds", "failures": "request_failures_total"},
            "window_seconds": WINDOW, "scrape_seconds": SCRAPE,
            "objective": {"good_share": state.good_share, "window_seconds": 60},
            "limits": [{"sli": "latency_p50", "limit": 1.0}],
            "traffic": {"haproxy": {"socket": str(self.socket), "backend": state.name, "baseline": ["old"],
                                    "canary": ["new"]}}})

    def begin_canaries(self):
        """A canary for each service, and HAProxy anew with their leases."""
        self.ids = {state.name: self.call("POST", "/v1/canaries", state.spec(self.versions[state.name]))["id"]
                    for state in self.states}
        self.restart_haproxy()

    def restart_haproxy(self):
        text = HAPROXY.format(socket=self.socket, lease_port=LEASE_PORT, **HONED_PORT)
        for number, state in enumerate(self.states):
            text += SERVICE.format(name=state.name, id=self.ids[state.name], front=FRONT + number, old=OLD + number,
                                   new=NEW + number, lease_port=LEASE_PORT)
        (self.root / "haproxy.cfg").write_text(text)
        haproxy = self.programs["haproxy"]
        with self.keeper.lock:
            haproxy.stop()
            haproxy.start()
        self.within(20, "HAProxy's start", lambda: self.weights() is not None)

    def abort(self, name):
        answer = self.rest.insist("POST", f"/v1/canaries/{self.ids[name]}/abort", {"reason": "the round is over"})
        if answer.status not in (200, 409):  # 409: it has ended meanwhile
            raise RuntimeError(f"aborting {name}: {answer.status} {answer.body}")

    # What is seen.

    def weights(self):
        """{state: {server: (weight, initial weight, up)}} as HAProxy says; None while nobody answers."""
        try:
            with socket.socket(socket.AF_UNIX) as asked:
                asked.settimeout(1)
                asked.connect(str(self.socket))
                asked.sendall(b"show servers state\n")
                answer = b""
                while piece := asked.recv(65536):
                    answer += piece
        except OSError:
            return None
        found = {}
        for line in answer.decode().splitlines():
            words = line.split()
            if len(words) > 8 and words[0].isdigit():
                found.setdefault(words[1], {})[words[3]] = (int(words[7]), int(words[8]), words[5] != "0")
        return found

    def record(self):
        """What the store holds of this round's canaries, by state."""
        ids = ",".join(f"'{id}'" for id in self.ids.values())
        text = self.sql_value(f"""SELECT json_agg(json_build_object(
            'id', c.id, 'state', c.state, 'share', c.share, 'follows', c.follows, 'owner', c.owner, 'reason', c.reason,
            'decisions', (SELECT coalesce(json_agg(json_build_object('number', d.number, 'at', extract(epoch FROM d.at),
                'state', d.state, 'share', d.share, 'windows', d.windows, 'reason', d.reason) ORDER BY d.number), '[]')
                FROM canary_decisions d WHERE d.canary = c.number),
            'windows', (SELECT coalesce(json_agg(json_build_object('number', w.number, 'start', w.start, 'seconds',
                w.seconds, 'share', w.share, 'baseline', w.baseline->>'outcome', 'canary', w.canary_group->>'outcome')
                ORDER BY w.number), '[]') FROM canary_windows w WHERE w.canary = c.number),
            'experiences', (SELECT count(*) FROM experiences e WHERE e.canary = c.number),
            'audits', (SELECT coalesce(json_agg(a.action), '[]') FROM audit_log a WHERE a.object = c.id::text)))
            FROM canaries c WHERE c.id IN ({ids})""")
        if not text:
            raise RuntimeError("the store does not say what became of the canaries")
        by_id = {entry["id"]: entry for entry in json.loads(text)}
        return {name: by_id[id] for name, id in self.ids.items()}

    def owners_alive(self):
        return [name for name in ("a", "b") if self.programs[f"honed-{name}"].alive()]
