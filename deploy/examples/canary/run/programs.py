"""Programs that run beside each other and all end with this one."""
import ctypes
import os
import signal
import socket
import subprocess
import threading
import time

STOP_SECONDS = 40
PR_SET_PDEATHSIG = 1


class Failed(Exception):
    """Something that the demonstration needs did not happen."""


class Missing(Exception):
    """Something that is no part of Hone and has to be there is not."""


def die_with_parent():
    # Should this process be killed, they end as well.
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM)


def free_ports(count):
    """Ports of the loopback that nobody listens on."""
    sockets = [socket.socket() for _ in range(count)]
    try:
        for each in sockets:
            each.bind(("127.0.0.1", 0))
        return [each.getsockname()[1] for each in sockets]
    finally:
        for each in sockets:
            each.close()


def wait_for(what, found, seconds, pause=0.2):
    """What found() gives once that is something."""
    until = time.monotonic() + seconds
    while not (value := found()):
        if time.monotonic() > until:
            raise Failed(f"{what}: not within {seconds} s")
        time.sleep(pause)
    return value


class Program:
    def __init__(self, name, argv, log, env=None, again=False):
        """With `again` it is started anew whenever it ends by itself, as an init system would."""
        self.name, self.argv, self.log, self.again = name, [str(word) for word in argv], log, again
        self.env = {**os.environ, **(env or {})}
        self.stopping = threading.Event()
        self.lock = threading.Lock()
        self.start()
        if again:
            threading.Thread(target=self.keep, daemon=True).start()

    def start(self):
        with self.lock:
            if self.stopping.is_set():
                return
            with open(self.log, "ab") as log:
                self.process = subprocess.Popen(self.argv, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                                                env=self.env, start_new_session=True, preexec_fn=die_with_parent)

    def keep(self):
        while not self.stopping.is_set():
            self.process.wait()
            if not self.stopping.wait(0.5):
                self.start()

    def check(self):
        if self.process.poll() is not None and not self.again:
            raise Failed(f"{self.name} ended with {self.process.returncode}: {self.last_words()}")

    def last_words(self):
        with open(self.log, errors="replace") as log:
            return " ".join(log.read()[-600:].split("\n"))

    def said(self, text):
        with open(self.log, errors="replace") as log:
            return text in log.read()

    def stop(self):
        with self.lock:
            self.stopping.set()
        if self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(STOP_SECONDS)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()


def run(argv, log, env=None):
    """A program to its end; its exit code. What it prints is added to the log."""
    with open(log, "ab") as out:
        process = subprocess.Popen([str(word) for word in argv], stdin=subprocess.DEVNULL, stdout=out, stderr=out,
                                   env={**os.environ, **(env or {})}, preexec_fn=die_with_parent)
        try:
            return process.wait()
        except BaseException:
            process.terminate()
            process.wait()
            raise


def must_run(argv, log, env=None):
    code = run(argv, log, env)
    if code != 0:
        with open(log, errors="replace") as text:
            raise Failed(f"{argv[0]} ended with {code}: {text.read()[-1500:]}")
