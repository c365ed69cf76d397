#!/usr/bin/env python3
"""Users of the services: open-loop requests, each answered by whom and when in a journal.

    canary_load.py --journal FILE --services NAME=PORT:RATE[,...] [--seed N]

A line a request: NAME, by whom (the header X-Server; - for nobody), status (0: no answer), when it was begun and
ended, in seconds since 1970. It goes on until it is ended. At most 64 requests a service are under way; one more
is not sent, and has status -1."""
import argparse
import asyncio
import os
import random
import time

MOST = 64
PATIENCE = 5.0


class Link:
    """A connection that is kept; one that the server closed meanwhile is made anew before it is used."""

    def __init__(self, port):
        self.port = port
        self.reader = self.writer = None

    async def get(self):
        if self.writer is None or self.reader.at_eof() or self.writer.is_closing():
            self.drop()
            self.reader, self.writer = await asyncio.open_connection("127.0.0.1", self.port)
        self.writer.write(b"GET / HTTP/1.1\r\nHost: shop\r\n\r\n")
        head = (await self.reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
        headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in head[1:])}
        await self.reader.readexactly(int(headers.get("content-length", 0)))
        if headers.get("connection", "").lower() == "close":
            self.drop()
        return int(head[0].split(" ")[1]), headers.get("x-server", "-")

    def drop(self):
        if self.writer is not None:
            self.writer.close()
        self.reader = self.writer = None


class Users:
    def __init__(self, name, port, rate, seed, note):
        self.name, self.port, self.rate, self.note = name, port, rate, note
        self.random = random.Random(f"{seed}/{name}")
        self.idle = []
        self.under_way = set()

    async def ask(self):
        link = self.idle.pop() if self.idle else Link(self.port)
        begun = time.time()
        try:
            status, server = await asyncio.wait_for(link.get(), PATIENCE)
        except (OSError, EOFError, ValueError, IndexError, asyncio.TimeoutError, asyncio.LimitOverrunError):
            link.drop()
            status, server = 0, "-"
        self.note(f"{self.name} {server} {status} {begun:.4f} {time.time():.4f}\n")
        self.idle.append(link)

    async def go_on(self):
        at = time.monotonic()
        while True:
            at += self.random.expovariate(self.rate)
            await asyncio.sleep(max(0.0, at - time.monotonic()))
            if len(self.under_way) >= MOST:
                self.note(f"{self.name} - -1 {time.time():.4f} {time.time():.4f}\n")
                continue
            task = asyncio.create_task(self.ask())
            self.under_way.add(task)
            task.add_done_callback(self.under_way.discard)


async def run(options):
    journal = os.open(options.journal, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
    lines = []
    users = []
    for item in options.services.split(","):
        name, _, place = item.partition("=")
        port, _, rate = place.partition(":")
        users.append(Users(name, int(port), float(rate), options.seed, lines.append))
    tasks = [asyncio.create_task(each.go_on()) for each in users]
    while not any(task.done() for task in tasks):
        await asyncio.sleep(0.1)
        whole, lines[:] = "".join(lines), []
        if whole:
            os.write(journal, whole.encode())
    await asyncio.gather(*tasks)


def main():
    parser = argparse.ArgumentParser(description="users of the services that canaries are tried on")
    parser.add_argument("--journal", required=True)
    parser.add_argument("--services", required=True)
    parser.add_argument("--seed", type=int, default=1)
    asyncio.run(run(parser.parse_args()))


main()
