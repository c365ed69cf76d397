"""What a program of the test did, one JSON object a line, kept however it ends.

Each line is one write() to a file opened for appending: a kill leaves whole lines, and at most a part of
the last one, which reading passes over."""
import json
import os
import threading


class Journal:
    def __init__(self, path):
        self.path = path
        self._file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
        self._lock = threading.Lock()
        # A part of a line that a kill left is ended, so that it spoils no further one.
        if os.fstat(self._file).st_size > 0:
            os.write(self._file, b"\n")

    def note(self, kind, **fields):
        line = json.dumps({"kind": kind, **fields}).encode() + b"\n"
        with self._lock:
            os.write(self._file, line)


def read_journal(path):
    """The entries of a journal; none if it was never begun."""
    entries = []
    try:
        with open(path, "rb") as file:
            for line in file:
                try:
                    entries.append(json.loads(line))
                except ValueError:
                    continue  # cut short by a kill, or empty
    except FileNotFoundError:
        pass
    return entries
