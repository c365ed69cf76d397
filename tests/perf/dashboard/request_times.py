"""Times of requests, each line of standard input a name and a path: request_times.py MILLISECONDS HONED POSTMASTER

Over one connection, as a browser keeps it. Prints a line for each: median and slowest of 15, after one that is not
counted, and the processor time that honed and its PostgreSQL (given by their process numbers) took for one, which says
whether it was the machine that was busy. The figure comes last: the largest median. Exit 1 if that is above
MILLISECONDS, or an answer is no 200.
"""
import http.client
import os
import statistics
import sys
import time
import urllib.parse

ROUNDS = 15

bound = float(sys.argv[1])
honed, postmaster = sys.argv[2:4]
address = urllib.parse.urlsplit(os.environ["HONE_URL"])
with open(os.environ["HONE_TOKEN_FILE"], encoding="ascii") as file:
    headers = {"Authorization": "Bearer " + file.read().strip()}
connection = http.client.HTTPConnection(address.hostname, address.port, timeout=60)


def cpu_ms():
    """Of honed and of every process of its PostgreSQL that lives."""
    ticks = 0
    for process in os.listdir("/proc"):
        if not process.isdigit():
            continue
        try:
            with open(f"/proc/{process}/stat", encoding="utf-8", errors="replace") as stat:
                fields = stat.read().rsplit(")", 1)[1].split()
        except OSError:
            continue  # it ended meanwhile
        if process in (honed, postmaster) or fields[1] == postmaster:
            ticks += int(fields[11]) + int(fields[12])
    return ticks * 1000 / os.sysconf("SC_CLK_TCK")


def ask(path):
    began = time.perf_counter()
    connection.request("GET", path, headers=headers)
    answer = connection.getresponse()
    size = len(answer.read())
    if answer.status != 200:
        sys.exit(f"GET {path}: {answer.status}")
    return (time.perf_counter() - began) * 1000, size


worst, worst_name = 0.0, ""
for line in sys.stdin:
    name, path = line.rstrip("\n").rsplit(" ", 1)
    ask(path)
    before = cpu_ms()
    times = []
    for _ in range(ROUNDS):
        taken, size = ask(path)
        times.append(taken)
    busy = (cpu_ms() - before) / ROUNDS
    median = statistics.median(times)
    if median > worst:
        worst, worst_name = median, name
    print(f"{name}: {median:.1f} ms (slowest {max(times):.1f}; {busy:.1f} of processor time), {size / 1000:.1f} kB")
print(f"slowest request of a view: {worst_name}, {worst:.0f} ms (at most {bound:.0f})")
sys.exit(worst > bound)
