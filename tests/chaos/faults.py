"""What each kind of fault (plan.py) does to the world, and how it ends."""
import os
import random
import signal
import threading


class Faults:
    def __init__(self, world, seed):
        self.world = world
        self.rng = random.Random(f"faults/{seed}")
        self.done = {}          # how many of each kind took effect
        self.timers = []
        self.full = {}          # file that fills a disk, by its folder
        self.offsets = {}

    def inflict(self, fault):
        with self.world.keeper.lock:
            if getattr(self, fault.kind)(fault) is not False:
                self.done[fault.kind] = self.done.get(fault.kind, 0) + 1
                return True
        return False

    def later(self, seconds, undo):
        timer = threading.Timer(seconds, undo)
        timer.daemon = True
        timer.start()
        self.timers.append(timer)

    def kill(self, programs, number, fault):
        alive = [program for program in programs if program.alive()]
        if not alive:
            return False
        self.rng.choice(alive).send_all(number, fault.seconds)
        return True

    def kill_honed(self, fault):
        return self.kill(self.world.named("honed-" + fault.target), signal.SIGKILL, fault)

    def stop_honed(self, fault):
        program = self.world.programs["honed-" + fault.target]
        if not program.alive():
            return False
        process = program.process
        program.send(signal.SIGTERM, fault.seconds)
        self.later(45, lambda: self.must_be_over(program, process))
        return True

    def must_be_over(self, program, process):
        """A stop takes at most its grace, whatever is done to it meanwhile."""
        if process.poll() is None:
            self.world.note("stuck", f"{program.name} has not stopped in 45 s")
            process.kill()

    def pause_honed(self, fault):
        program = self.world.programs["honed-" + fault.target]
        if not program.alive():
            return False
        process = program.process
        process.send_signal(signal.SIGSTOP)
        self.later(fault.seconds, lambda: process.poll() is None and
                   process.send_signal(signal.SIGCONT))
        return True

    def kill_worker(self, fault):
        return self.kill(self.world.named("worker-"), signal.SIGKILL, fault)

    def kill_real_worker(self, fault):
        return self.kill(self.world.named("real-"), signal.SIGKILL, fault)

    def kill_submitter(self, fault):
        return self.kill(self.world.named("submitter"), signal.SIGKILL, fault)

    def kill_watcher(self, fault):
        return self.kill(self.world.named("watcher"), signal.SIGKILL, fault)

    def kill_postgres(self, fault):
        return self.kill(self.world.named("postgres"), signal.SIGKILL, fault)

    def stop_postgres(self, fault):
        program = self.world.programs["postgres"]
        if not program.alive():
            return False
        program.send(signal.SIGINT, fault.seconds)
        return True

    def kill_backend(self, fault):
        backends = self.world.backends()
        if not backends:
            return False
        try:
            os.kill(self.rng.choice(backends), signal.SIGKILL)
        except ProcessLookupError:
            return False
        return True

    def link(self, kind, fault):
        return self.world.network.links[f"{kind}-{fault.target}"]

    def cut_clients(self, fault):
        self.link("clients", fault).cut()

    def cut_database(self, fault):
        self.link("database", fault).cut()

    def become(self, link, mode, fault, most_delay=0.0):
        link.become(mode, most_delay)
        self.later(fault.seconds, lambda: link.become("pass"))

    def drop_replies_to_clients(self, fault):
        self.become(self.link("clients", fault), "drop", fault)

    def drop_replies_of_database(self, fault):
        self.become(self.link("database", fault), "drop", fault)

    def delay_clients(self, fault):
        self.become(self.link("clients", fault), "delay", fault, 0.8)

    def delay_database(self, fault):
        self.become(self.link("database", fault), "delay", fault, 0.2)

    def freeze_database(self, fault):
        self.become(self.link("database", fault), "freeze", fault)

    def refuse_database(self, fault):
        self.become(self.link("database", fault), "refuse", fault)

    def step_clock(self, fault):
        """Further from the right time, or back to it, so that steps go both ways."""
        now = self.offsets.get(fault.target, 0)
        self.offsets[fault.target] = 0 if now else fault.amount
        self.world.set_clock(fault.target, self.offsets[fault.target])

    def fill(self, name, fault):
        folder = self.world.root / name
        if name in self.full:
            return False
        path = folder / "filler"
        self.full[name] = path
        room = os.statvfs(folder)
        with open(path, "wb") as file:
            try:
                os.posix_fallocate(file.fileno(), 0, max(1, room.f_bavail * room.f_frsize))
                while True:  # what was given back meanwhile
                    file.seek(0, os.SEEK_END)
                    file.write(b"\0" * 65536)
                    file.flush()
            except OSError:
                pass  # full
        self.later(fault.seconds, lambda: self.free(name))
        return True

    def free(self, name):
        path = self.full.pop(name, None)
        if path is not None:
            path.unlink(missing_ok=True)

    def fill_artifacts_disk(self, fault):
        return self.fill("artifacts", fault)

    def fill_database_disk(self, fault):
        return self.fill("pg", fault)

    def end_all(self):
        """From here on everything works."""
        for timer in self.timers:
            timer.cancel()
        for link in self.world.network.links.values():
            link.become("pass")
        for name in list(self.full):
            self.free(name)
        for name in self.offsets:
            self.world.set_clock(name, 0)
        for program in self.world.programs.values():
            if program.alive():
                program.process.send_signal(signal.SIGCONT)
