#!/usr/bin/env python3
"""A bounded, open-loop load for the canary example: requests arrive at random, whether or not others wait.

    load.py --url [NAME=]HOST:PORT[,...] --rate R --seconds S [--mix text=7,packed=1,unpack=2] [--seed N]
            [--levels 1,3,3,3,6] [--sizes 4096-131072] [--connections N] [--record FILE] --inputs FOLDER

text compresses pieces of what lies in FOLDER, of --sizes bytes and at one of --levels, packed compresses what is
compressed already, unpack decompresses. At most --connections requests a server are under way; what would be one more
is dropped and counted. Several servers get requests by chance. --record writes a line a request: seconds since the
start, the server's NAME (without one: its header X-Server), milliseconds by Server-Timing, status. Says when it
began (seconds since 1970), and requests, failures and drops at the end, which SIGTERM brings; exit 1 if nothing was
answered.
"""
import argparse
import asyncio
import math
import os
import random
import signal
import sys
import time


def read_inputs(folder):
    text = b""
    for root, folders, names in os.walk(folder):
        folders.sort()
        for name in sorted(names):
            if name.endswith((".c", ".h", ".md")) and len(text) < 8_000_000:
                with open(os.path.join(root, name), "rb") as file:
                    text += file.read()
    if len(text) < 200_000:
        sys.exit(f"load.py: there is too little text in {folder}")
    return text


class Connection:
    def __init__(self, server):
        self.name, _, address = server.rpartition("=")
        self.host, _, port = address.rpartition(":")
        self.port = int(port)
        self.reader = self.writer = None

    async def post(self, path, body):
        """A connection that was kept may have been closed meanwhile: then once more on a new one."""
        kept = self.writer is not None
        try:
            return await self.post_once(path, body)
        except (ConnectionError, asyncio.IncompleteReadError) as error:
            self.drop()
            if not kept or getattr(error, "partial", b""):
                raise
            return await self.post_once(path, body)

    async def post_once(self, path, body):
        if self.writer is None:
            self.reader, self.writer = await asyncio.open_connection(self.host, self.port)
        self.writer.write(
            b"POST %s HTTP/1.1\r\nHost: example\r\nContent-Length: %d\r\n\r\n" % (path.encode(), len(body)) + body)
        await self.writer.drain()
        head = await self.reader.readuntil(b"\r\n\r\n")
        lines = head.decode("latin-1").split("\r\n")
        headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines[1:])}
        answer = await self.reader.readexactly(int(headers.get("content-length", 0)))
        if headers.get("connection", "").lower() == "close":
            self.drop()
        return int(lines[0].split(" ")[1]), headers, answer

    def drop(self):
        if self.writer is not None:
            self.writer.close()
        self.reader = self.writer = None


class Load:
    def __init__(self, options):
        self.options = options
        self.random = random.Random(options.seed)
        self.text = read_inputs(options.inputs)
        self.packed = []  # frames that the service made
        self.servers = options.url.split(",")
        self.idle = {server: [Connection(server) for _ in range(options.connections)] for server in self.servers}
        self.mix = [(name, float(weight)) for name, _, weight in (item.partition("=") for item in options.mix.split(","))]
        self.levels = [int(level) for level in options.levels.split(",")]
        self.sizes = [math.log2(int(size)) for size in options.sizes.split("-")]
        self.answered = self.failed = self.dropped = 0
        self.stopping = False
        self.record = open(options.record, "w", buffering=1) if options.record else None

    def request(self):
        kind = self.random.choices([name for name, _ in self.mix], [weight for _, weight in self.mix])[0]
        if kind == "unpack" and self.packed:
            return "/decompress", self.random.choice(self.packed)
        if kind == "packed" and len(self.packed) >= 8:
            return "/compress?level=3", b"".join(self.random.sample(self.packed, 4))
        size = round(2 ** self.random.uniform(*self.sizes))
        at = self.random.randrange(len(self.text) - size)
        return f"/compress?level={self.random.choice(self.levels)}", self.text[at:at + size]

    async def ask(self, idle, connection, start):
        path, body = self.request()
        try:
            status, headers, answer = await asyncio.wait_for(connection.post(path, body), 20)
        except (OSError, EOFError, asyncio.TimeoutError, ValueError, IndexError):
            connection.drop()
            status, headers, answer = 0, {}, b""
        self.answered += status != 0
        self.failed += status >= 500 or status == 0
        if status == 200 and path.startswith("/compress") and len(self.packed) < 64:
            self.packed.append(answer)
        if self.record:
            took = headers.get("server-timing", "app;dur=nan").partition("dur=")[2]
            self.record.write(f"{time.monotonic() - start:.6f} {connection.name or headers.get('x-server', '-')} {took} {status}\n")
        idle.append(connection)

    def stop(self):
        self.stopping = True

    async def run(self):
        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, self.stop)
        print(f"began {time.time():.3f}", flush=True)
        start = time.monotonic()
        at, asked = 0.0, set()
        while not self.stopping and (at := at + self.random.expovariate(self.options.rate)) < self.options.seconds:
            wait = start + at - time.monotonic()
            if wait > 0:
                await asyncio.sleep(wait)
            idle = self.idle[self.random.choice(self.servers)]
            if not idle:
                self.dropped += 1
                continue
            task = asyncio.create_task(self.ask(idle, idle.pop(0), start))
            asked.add(task)
            task.add_done_callback(asked.discard)
        await asyncio.gather(*asked)
        print(f"{self.answered} answered, {self.failed} failed, {self.dropped} dropped")
        return 0 if self.answered else 1


def main():
    parser = argparse.ArgumentParser(description="load for the canary example")
    parser.add_argument("--url", required=True)
    parser.add_argument("--rate", type=float, required=True)
    parser.add_argument("--seconds", type=float, required=True)
    parser.add_argument("--mix", default="text=7,packed=1,unpack=2")
    parser.add_argument("--levels", default="1,3,3,3,6")
    parser.add_argument("--sizes", default="4096-131072")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--connections", type=int, default=32)
    parser.add_argument("--record")
    parser.add_argument("--inputs", required=True)
    return asyncio.run(Load(parser.parse_args()).run())


sys.exit(main())
