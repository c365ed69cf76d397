"""A round: a canary in each state, a kill, and what came of it."""
import signal
import time

from canary_check import Case
from canary_states import SCRAPE, WINDOW
from canary_watch import Watch

DOWN = {"back": 2.5, "loop": 0.5}    # seconds until it is started again, as an init system would
KILLS = {"back": 1, "dead": 1, "loop": 4}
CRASHES = 9          # of a canary in a loop: more than every bound lasts
DEAD = 14.0          # seconds that it stays dead: more than every bound
LOOP = 2.0           # between kills
RECOVERY = 12.0      # watched after its return


def programs_of(world, victim):
    names = {"honed": ["honed-a"], "honeds": ["honed-a", "honed-b"], "prometheus": ["prometheus"],
             "haproxy": ["haproxy"], "canary": [f"new-{state.name}" for state in world.states]}[victim]
    return [world.programs[name] for name in names]


def kill(world, victim, down_for):
    """(when it was killed, when it was started again); the keeper starts it."""
    programs = programs_of(world, victim)
    starts = [program.starts for program in programs]
    with world.keeper.lock:
        at = time.time()
        for program in programs:
            program.send_all(signal.SIGKILL, down_for)
    return at, list(zip(programs, starts))


def returned(world, killed):
    world.within(DEAD + 10, "the victim's return",
                 lambda: all(program.starts > starts and program.alive() for program, starts in killed))
    return time.time()


def bring_about(world, victim):
    """Canaries in their states. Of two honeds the one that is killed drives all of them."""
    if victim == "honed":
        with world.keeper.lock:
            world.programs["honed-b"].stop()
    world.begin_canaries()
    aborting = [state for state in world.states if state.abort]

    def all_there():
        record = world.record()
        for state in list(aborting):
            if record[state.name]["share"] > 0 and record[state.name]["follows"]:
                world.abort(state.name)
                aborting.remove(state)
        return all(state.reached(record[state.name]["state"], record[state.name]["share"]) and
                   record[state.name]["follows"] for state in world.states)
    try:
        world.within(90, "the states before the kill", all_there)
    except RuntimeError:
        for state, entry in world.record().items():
            world.say(f"  {state}: {entry['state']} at {entry['share']} %: {entry['reason']}")
        raise
    if victim == "honed":
        world.start_program(world.programs["honed-b"])
        world.within(60, "the second honed's start", lambda: world.ready("b"))


def inflict(world, victim, repeat):
    downs = []
    for number in range(CRASHES if (victim, repeat) == ("canary", "loop") else KILLS[repeat]):
        if number:
            time.sleep(max(0.0, downs[-1][0] + LOOP - time.time()))
        at, killed = kill(world, victim, DOWN.get(repeat, DEAD))
        downs.append((at, returned(world, killed)))
    return downs


def run_round(world, victim, repeat):
    """Its cases. Canaries that live are ended in the end."""
    bring_about(world, victim)
    begun = time.time()
    watch = Watch(world)
    watch.start()
    time.sleep(2.5 + world.random.uniform(0, 3))  # a bin before the kill, too
    downs = inflict(world, victim, repeat)
    time.sleep(RECOVERY)
    ended = time.time()
    record = world.record()
    samples = watch.stop()
    requests = read_requests(world.requests, begun - 10, ended)
    cases = [Case(state.name, victim, repeat, state.steps, state.rate, WINDOW, SCRAPE, downs, begun, ended,
                  requests.get(state.name, []), record[state.name],
                  [{"at": sample["at"], "owner": sample["owners"].get(state.name),
                    "weights": (sample["weights"] or {}).get(state.name)} for sample in samples])
             for state in world.states]
    for state in world.states:
        world.abort(state.name)
    world.within(30, "the end of a round",
                 lambda: all(entry["follows"] and entry["experiences"] == 1 for entry in world.record().values()))
    return cases


def read_requests(path, first, last):
    """[(server, status, begun, ended)] by service."""
    requests = {}
    with open(path, encoding="ascii") as file:
        for line in file:
            words = line.split()
            if len(words) == 5 and first <= float(words[3]) < last:
                requests.setdefault(words[0], []).append((words[1], int(words[2]), float(words[3]), float(words[4])))
    return requests
