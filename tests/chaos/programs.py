"""Programs of the test, kept running as an init system would: whoever ends is started again after a pause.
Whoever ends by a signal that the test did not send is a finding."""
import os
import pathlib
import signal
import subprocess
import threading
import time


class Program:
    def __init__(self, name, argv, log, env=None, user=None, folder="/", done_at=None, stays=False):
        self.name = name
        self.argv = argv
        self.log = log
        self.env = {**os.environ, **(env or {})}
        self.user = user          # (uid, gid), or None for one's own
        self.folder = folder
        self.done_at = done_at    # the exit code with which its work is done
        self.stays = stays        # it has no reason to end by itself
        self.process = None
        self.wanted = False
        self.start_at = 0.0       # not before
        self.sent = set()         # signals that the test sent to this process
        self.starts = 0
        self.ends = []            # exit codes of those that ended by themselves

    def start(self):
        self.wanted = True
        self.sent = set()
        self.starts += 1
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen(
                self.argv, stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=self.env,
                cwd=self.folder, start_new_session=True,
                **({"user": self.user[0], "group": self.user[1], "extra_groups": []}
                   if self.user else {}))

    def alive(self):
        return self.process is not None and self.process.poll() is None

    def done(self):
        return self.done_at is not None and self.process is not None \
            and self.process.poll() == self.done_at

    def send(self, number, down_for=0.0):
        self.start_at = time.monotonic() + down_for
        if self.alive():
            self.sent.add(number)
            self.process.send_signal(number)

    def send_all(self, number, down_for=0.0):
        """To its children, too, which may have sessions of their own."""
        self.start_at = time.monotonic() + down_for
        if self.alive():
            self.sent.add(number)
            for pid in [self.process.pid] + descendants(self.process.pid):
                try:
                    os.kill(pid, number)
                except ProcessLookupError:
                    pass

    def stop(self, seconds=30):
        """Its exit code; None if it had to be killed."""
        self.wanted = False
        if not self.alive():
            return self.process.returncode if self.process else 0
        self.send(signal.SIGTERM)
        try:
            return self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            self.send_all(signal.SIGKILL)
            self.process.wait()
            return None


def descendants(pid):
    below = {}
    for entry in pathlib.Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = entry.read_text().rsplit(")", 1)[1].split()
        except OSError:
            continue
        below.setdefault(int(fields[1]), []).append(int(entry.parent.name))
    found, queue = [], [pid]
    while queue:
        children = below.get(queue.pop(), [])
        found += children
        queue += children
    return found


class Keeper(threading.Thread):
    """Starts again what has ended, and notes how it did."""

    def __init__(self, programs, note):
        super().__init__(daemon=True)
        self.programs = programs
        self.note = note
        self.lock = threading.Lock()  # held while a program is started, or is being changed
        self.over = threading.Event()

    def look(self, program):
        if not program.wanted or program.alive() or program.done():
            return
        code = program.process.returncode
        if code is not None and program.process not in program.ends:
            program.ends.append(program.process)
            if code < 0 and -code not in program.sent:
                self.note("crashed", f"{program.name} ended by signal {-code}: see {program.log}")
            elif not program.sent and (program.stays or (code > 0 and program.done_at is not None)):
                self.note("crashed", f"{program.name} ended with {code}: see {program.log}")
            elif code >= 0 and not program.sent:
                program.start_at = max(program.start_at, time.monotonic() + 0.5)
        if time.monotonic() >= program.start_at:
            program.start()

    def run(self):
        while not self.over.wait(0.05):
            with self.lock:
                for program in self.programs:
                    self.look(program)
