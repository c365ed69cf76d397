"""What runs during the demonstration, all on the loopback: coordinator and worker, Prometheus, HAProxy, three baseline
instances, at most one canary instance, and the load.

With a quarter of the traffic the canary has as many requests as each of the others: an instance with fewer is slower
by some per cent, since caches and threads are cold more often. All have the same layout of addresses where that may be
asked for: with a random one, processes of one program differ by a per cent for as long as they run, which no number of
windows tells from a difference of builds."""
import json
import pathlib
import re
import signal
import socket
import subprocess
import sys
import urllib.parse
import urllib.request

from api import Api
from programs import Program, free_ports, wait_for

SCRAPE_SECONDS = 0.5
BASELINES = ("old1", "old2", "old3")
NO_CANARY = "00000000-0000-0000-0000-000000000000"

HAPROXY = """global
  stats socket {socket} level admin
defaults
  mode http
  timeout connect 2s
  timeout client 60s
  timeout server 30s
  timeout check 2s
  retries 2
  option redispatch 1
frontend in
  bind 127.0.0.1:{front}
  http-response set-header X-Server %s
  default_backend app
backend canary_lease
  option httpchk
  http-check connect addr 127.0.0.1 port {honed}
  http-check send meth GET uri /v1/canaries/{canary}/lease hdr Host 127.0.0.1
  http-check expect status 200
  http-check connect
  http-check send meth GET uri /healthz
  http-check expect status 200
  server lease 127.0.0.1:{new} check inter 500ms
backend app
  balance roundrobin
  http-reuse always
{olds}
  server new 127.0.0.1:{new} weight 0 track canary_lease/lease pool-purge-delay 60s
  server spare 127.0.0.1:{spare} check backup
"""


class World:
    def __init__(self, out, data, bin_folder, here):
        self.out, self.data, self.bin, self.here = out, data, bin_folder, here
        self.programs = {}
        names = ["front", "prometheus"] + [side + what for side in (*BASELINES, "new") for what in ("", "_metrics")]
        self.ports = dict(zip(names, free_ports(len(names))))
        self.socket = data / "haproxy.sock"
        self.api = None
        fixed = ["setarch", "-R"]
        self.layout = fixed if subprocess.run([*fixed, "true"], capture_output=True).returncode == 0 else []

    def add(self, name, argv, **options):
        (self.out / f"{name}.log").unlink(missing_ok=True)
        program = Program(name, argv, self.out / f"{name}.log", **options)
        self.programs[name] = program
        return program

    def check(self):
        for program in self.programs.values():
            program.check()

    def stop(self, name):
        if name in self.programs:
            self.programs.pop(name).stop()

    def stop_all(self):
        for name in reversed(list(self.programs)):
            self.stop(name)

    def start_hone(self, with_worker):
        up = self.add("hone-up", [self.bin / "hone", "up", "--data", self.data / "hone", "--listen", "127.0.0.1:0",
                                  "--json", "--slots", "1"] + ([] if with_worker else ["--no-worker"]))

        def url():
            up.check()
            return re.search(r'"url":"([^"]*)"', up.log.read_text()) if up.said('"ready"') else None
        address = wait_for("hone up", url, 120).group(1)
        token = self.data / "hone" / "admin.token"
        self.environment = {"HONE_URL": address, "HONE_TOKEN_FILE": str(token)}
        self.api = Api(address, token.read_text().strip())

    def start_prometheus(self):
        def job(group, sides):
            return {"targets": [f"127.0.0.1:{self.ports[side + '_metrics']}" for side in sides],
                    "labels": {"group": group}}
        config = {"global": {"scrape_interval": f"{round(1000 * SCRAPE_SECONDS)}ms", "scrape_timeout": "400ms"},
                  "scrape_configs": [{"job_name": "shop", "static_configs": [
                      job("baseline", BASELINES), job("canary", ["new"])]}]}
        file = self.data / "prometheus.yml"
        file.write_text(json.dumps(config))  # JSON is YAML
        self.add("prometheus", ["prometheus", f"--config.file={file}", f"--storage.tsdb.path={self.data / 'prometheus'}",
                                f"--web.listen-address=127.0.0.1:{self.ports['prometheus']}"])

    def scraped(self, side):
        """Whether Prometheus has just read that instance."""
        query = urllib.parse.quote(f'up{{instance="127.0.0.1:{self.ports[side + "_metrics"]}"}}')
        url = f"http://127.0.0.1:{self.ports['prometheus']}/api/v1/query?query={query}"
        try:
            with urllib.request.urlopen(url, timeout=5) as reply:
                return any(each["value"][1] == "1" for each in json.load(reply)["data"]["result"])
        except OSError:
            return False

    def start_haproxy(self):
        self.write_haproxy(NO_CANARY)
        haproxy = self.add("haproxy", ["haproxy", "-W", "-f", self.data / "haproxy.cfg"])
        wait_for("HAProxy", lambda: haproxy.check() or self.socket.exists(), 20)

    def write_haproxy(self, canary):
        honed = urllib.parse.urlsplit(self.api.url).port
        olds = "\n".join(f"  server {side} 127.0.0.1:{self.ports[side]} weight 100 check inter 500ms pool-purge-delay 60s"
                         for side in BASELINES)
        (self.data / "haproxy.cfg").write_text(HAPROXY.format(canary=canary, honed=honed, socket=self.socket, olds=olds,
                                                              front=self.ports["front"], new=self.ports["new"],
                                                              spare=self.ports[BASELINES[0]]))

    def lease_of(self, canary):
        """HAProxy asks for that canary's lease from now on."""
        self.write_haproxy(canary)
        self.programs["haproxy"].process.send_signal(signal.SIGUSR2)

    def all_to_baseline(self):
        for command in ["set weight app/new 0"] + [f"set weight app/{side} 100" for side in BASELINES]:
            with socket.socket(socket.AF_UNIX) as client:
                client.settimeout(5)
                client.connect(str(self.socket))
                client.sendall(command.encode() + b"\n")
                client.recv(4096)

    def start_baseline(self, program):
        """In place of the instances that run, one after the other."""
        for side in BASELINES:
            self.start_instance(side, program)

    def start_instance(self, side, program, faults=""):
        """In place of the one that runs; seen by Prometheus when this returns."""
        self.stop(side)
        started = self.add(side, [*self.layout, program, "--listen", self.ports[side], "--metrics", self.ports[side + "_metrics"],
                                  "--faults", faults], again="crash" in faults)
        wait_for(f"the instance {side}", lambda: started.check() or started.said("serving"), 20)
        wait_for(f"Prometheus' sight of {side}", lambda: self.scraped(side), 20)

    def start_load(self, rate, options=()):
        self.stop("load")
        inputs = pathlib.Path(self.out / "tree" / "libzstd" / "lib")
        load = self.add("load", [sys.executable, self.here / "load.py", "--url", f"127.0.0.1:{self.ports['front']}",
                                 "--rate", rate, "--seconds", 7200, "--connections", 16, "--inputs", inputs,
                                 "--record", self.out / "requests", *options])
        wait_for("the load", lambda: load.check() or load.said("began"), 30)

    def service(self, window_seconds):
        """What `hone service set` is given."""
        return {"prometheus": f"http://127.0.0.1:{self.ports['prometheus']}", "selector": {"job": "shop"},
                "metrics": {"latency": "request_seconds", "failures": "request_failures_total",
                            "cpu": "request_cpu_seconds_total"},
                "window_seconds": window_seconds, "scrape_seconds": SCRAPE_SECONDS,
                "objective": {"good_share": 0.98, "latency": 0.5, "window_seconds": 900},
                "limits": [{"sli": "failure_share", "limit": 0.1}],
                "traffic": {"haproxy": {"socket": str(self.socket), "backend": "app", "baseline": list(BASELINES),
                                        "canary": ["new"]}}}
