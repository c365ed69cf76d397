"""The demonstration: arguments, what is missing, and which part is run. run.sh says what the options are."""
import argparse
import os
import pathlib
import shutil
import signal
import sys
import tempfile
import time

import faults
import trail
from api import Refused
from cycle import Cycles
from product import Product
from programs import Failed, Missing, must_run
from staging import TARGET
from world import World

TOOLS = ["ccache", "clang-19", "cmake", "haproxy", "make", "prometheus", "setarch"]
PROGRAMS = ["hone", "honed", "hone-worker", "hone-cc", "hone-learner"]
MISSING_CODE = 77
WINDOW_SECONDS = 2
RATE = 200
MIX = ["--sizes", "16384-65536"]
PLANTED_AT = 2
here = pathlib.Path(__file__).resolve().parent.parent
root = here.parents[2]


def arguments():
    parser = argparse.ArgumentParser(prog="run.sh", add_help=False)
    parser.add_argument("--cycles", type=int)
    parser.add_argument("--faults", action="store_true")
    parser.add_argument("--aa", type=int, default=0)
    parser.add_argument("--only", default=",".join(faults.PLANTED))
    parser.add_argument("--bin", type=pathlib.Path)
    parser.add_argument("--out", type=pathlib.Path, default=root / "build" / "canary")
    parser.add_argument("--keep", action="store_true")
    options = parser.parse_args()
    if options.cycles is None:
        options.cycles = 0 if options.faults or options.aa else 3
    options.only = options.only.split(",")
    if not 0 <= options.cycles <= 100 or not 0 <= options.aa <= 1000 or set(options.only) - set(faults.PLANTED):
        parser.error("--cycles is 1 to 100, --aa 1 to 1000, --only some of " + ",".join(faults.PLANTED))
    if not (options.cycles or options.faults or options.aa):
        parser.error("--cycles 0 alone asks for nothing")
    if options.bin is None:
        folders = [root / "build" / kind / "bin" for kind in ("release", "dev")]
        options.bin = next((folder for folder in folders if (folder / "honed").exists()), folders[0])
    return options


def missing(options):
    """What the demonstration cannot do without."""
    lacks = [tool for tool in TOOLS if not shutil.which(tool)]
    lacks += [str(options.bin / name) for name in PROGRAMS if not (options.bin / name).exists()]
    headers = pathlib.Path("/usr/include/prometheus/exposer.h")
    return lacks + ([] if headers.exists() else ["prometheus-cpp-dev"])


def run(options, world, say):
    product = Product(here, options.out, options.bin)
    say("sources, and the service as it is")
    product.make_tree(root)
    plain, _ = product.build()
    if not world.layout:
        say("instances have random layouts of addresses here: equal ones may differ by a per cent")
    world.start_hone(with_worker=options.cycles > 0)
    must_run([options.bin / "hone", "target", "add", product.tree], options.out / "builds.log", world.environment)
    world.start_prometheus()
    world.start_haproxy()
    world.api.put(f"/v1/targets/{TARGET}/service", world.service(WINDOW_SECONDS))
    world.start_baseline(plain)
    good = True
    if options.cycles:
        good = run_cycles(options, world, product, say)
    if options.faults or options.aa:
        good = faults.run(world, plain, options, say) and good
    return good


def run_cycles(options, world, product, say):
    world.start_load(RATE, MIX)
    cycles = Cycles(world, product, say, PLANTED_AT)
    campaign, done = cycles.propose(1), []
    report = options.out / "report.txt"
    report.write_text("")
    for number in range(1, options.cycles + 1):
        cycle, campaign = cycles.run(number, campaign)
        done.append(cycle)
        with report.open("a") as file:
            for line in trail.trail(cycle):
                print(line, file=file)
    campaign.cancel()
    world.stop("load")
    print(report.read_text())
    print(f"this report: {report}; each canary's own: {options.out}/canary-*.md, with all windows: canary-*.json")
    whole = sum(cycle.done for cycle in done)
    planted = options.cycles < PLANTED_AT or trail.reversed_as_planted(done)
    said = "not planted" if options.cycles < PLANTED_AT else "yes" if planted else "NO"
    print(f"cycles: {whole} of {options.cycles}, planted reversed: {said}")
    return whole == options.cycles and planted


def main():
    os.environ["PATH"] += ":/usr/sbin:/sbin"  # where HAProxy is
    options = arguments()
    if lacks := missing(options):
        print("run.sh: missing: " + ", ".join(lacks), file=sys.stderr)
        return MISSING_CODE
    options.out.mkdir(parents=True, exist_ok=True)
    options.out, options.bin = options.out.resolve(), options.bin.resolve()
    # Private, but builds run as another user below it: it may be passed through.
    data = pathlib.Path(tempfile.mkdtemp(prefix="hone-canary.", dir="/var/tmp"))
    data.chmod(0o711)
    started = time.monotonic()

    def say(text):
        seconds = int(time.monotonic() - started)
        print(f"[{seconds // 60}:{seconds % 60:02}] {text}", file=sys.stderr, flush=True)

    def interrupt(number, frame):
        raise SystemExit(128 + number)
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, interrupt)
    world = World(options.out, data, options.bin, here)
    try:
        return 0 if run(options, world, say) else 1
    except Missing as error:
        print(f"run.sh: missing: {error}", file=sys.stderr)
        return MISSING_CODE
    except (Failed, Refused) as error:
        print(f"run.sh: {error}", file=sys.stderr)
        return 1
    finally:
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, signal.SIG_IGN)
        say("stopping")
        world.stop_all()
        if options.keep:
            say(f"kept: {data}")
        else:
            shutil.rmtree(data, ignore_errors=True)


sys.exit(main())
