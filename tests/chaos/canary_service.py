#!/usr/bin/env python3
"""One instance of a service that canaries are tried on: GET / and /healthz at once, and /metrics for Prometheus.

    canary_service.py --listen PORT --name TEXT [--slow FACTOR] [--failing SHARE] [--seed N]

Latencies are made up, not waited for: a log-normal around 20 ms times --slow goes into the histogram, so that a
run needs little processor time and its verdicts do not depend on what else the machine does."""
import argparse
import asyncio
import bisect
import math
import random

BOUNDS = [0.001 * 1.3 ** step for step in range(32)]  # 1 ms to 3.4 s


class Instance:
    def __init__(self, options):
        self.name = options.name.encode()
        self.slow = options.slow
        self.failing = options.failing
        self.random = random.Random(options.seed)
        self.counts = [0] * (len(BOUNDS) + 1)
        self.seconds = 0.0
        self.failures = 0

    def answer(self, path):
        if path == b"/metrics":
            return self.reply(b"200 OK", self.metrics(), b"text/plain; version=0.0.4")
        if path == b"/healthz":
            return self.reply(b"200 OK", b"ok\n")
        took = self.random.lognormvariate(math.log(0.02), 0.3) * self.slow
        self.counts[bisect.bisect_left(BOUNDS, took)] += 1
        self.seconds += took
        if self.random.random() < self.failing:
            self.failures += 1
            return self.reply(b"500 Planted", b"planted\n")
        return self.reply(b"200 OK", b"served\n")

    def reply(self, status, body, kind=b"text/plain"):
        return (b"HTTP/1.1 %s\r\nContent-Type: %s\r\nX-Server: %s\r\nContent-Length: %d\r\n\r\n"
                % (status, kind, self.name, len(body)) + body)

    def metrics(self):
        lines, below = ["# TYPE request_seconds histogram"], 0
        for bound, count in zip(BOUNDS + [math.inf], self.counts):
            below += count
            label = "+Inf" if bound == math.inf else f"{bound:.6g}"
            lines.append(f'request_seconds_bucket{{le="{label}"}} {below}')
        lines += [f"request_seconds_sum {self.seconds}", f"request_seconds_count {below}",
                  "# TYPE request_failures_total counter", f"request_failures_total {self.failures}",
                  "# TYPE process_cpu_seconds_total counter", f"process_cpu_seconds_total {below * 0.001:.3f}", ""]
        return "\n".join(lines).encode()


class Connection(asyncio.Protocol):
    MOST_HEAD = 16384

    def __init__(self, instance):
        self.instance = instance
        self.received = b""

    def connection_made(self, transport):
        self.transport = transport

    def data_received(self, data):
        self.received += data
        while b"\r\n\r\n" in self.received:
            head, self.received = self.received.split(b"\r\n\r\n", 1)
            words = head.split(b" ", 2)
            self.transport.write(self.instance.answer(words[1] if len(words) > 1 else b"/"))
            if words[-1].startswith(b"HTTP/1.0"):
                self.transport.close()
        if len(self.received) > self.MOST_HEAD:
            self.transport.close()


async def serve(options):
    instance = Instance(options)
    server = await asyncio.get_running_loop().create_server(lambda: Connection(instance), "127.0.0.1", options.listen)
    await server.serve_forever()


def main():
    parser = argparse.ArgumentParser(description="an instance of a service that canaries are tried on")
    parser.add_argument("--listen", type=int, required=True)
    parser.add_argument("--name", required=True)
    parser.add_argument("--slow", type=float, default=1.0)
    parser.add_argument("--failing", type=float, default=0.0)
    parser.add_argument("--seed", type=int, default=1)
    asyncio.run(serve(parser.parse_args()))


main()
