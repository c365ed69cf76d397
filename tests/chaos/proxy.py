"""Network links that break on command: TCP connections that are relayed, cut (reset), held up, or whose
replies are dropped. In place of netem and iptables, which not every kernel has: here a fault hits one link,
starts and ends when the plan says so, and what a cut connection had under way is lost as a dead network
loses it."""
import asyncio
import random
import socket
import struct
import threading

RESET = struct.pack("ii", 1, 0)  # SO_LINGER: close() sends RST


class Link:
    """One listening port in front of one server. Its mode is one of pass, drop (replies vanish), delay and
    freeze (nothing passes until it ends), refuse."""

    def __init__(self, network, name, port, target, seed):
        self.network = network
        self.name = name
        self.port = port
        self.target = target
        self.mode = "pass"
        self.most_delay = 0.0
        self.rng = random.Random(f"{seed}/{name}")
        self.connections = set()
        self.thawed = asyncio.Event()
        self.thawed.set()

    async def serve(self):
        await asyncio.start_server(self.accept, "127.0.0.1", self.port)

    async def accept(self, reader, writer):
        if self.mode == "refuse":
            reset(writer)
            return
        try:
            there_reader, there_writer = await asyncio.open_connection("127.0.0.1", self.target)
        except OSError:
            reset(writer)
            return
        pair = (writer, there_writer)
        self.connections.add(pair)
        try:
            await asyncio.gather(self.pump(reader, there_writer, False),
                                 self.pump(there_reader, writer, True))
        except (OSError, asyncio.IncompleteReadError):
            pass
        finally:
            self.connections.discard(pair)
            for end in pair:
                reset(end)

    async def pump(self, source, sink, is_reply):
        while data := await source.read(65536):
            if self.mode == "delay":
                await asyncio.sleep(self.rng.uniform(0, self.most_delay))
            if self.mode == "freeze":
                await self.thawed.wait()
            if self.mode == "drop" and is_reply:
                continue
            sink.write(data)
            await sink.drain()
        if sink.can_write_eof():
            sink.write_eof()

    def set_mode(self, mode, most_delay=0.0):
        self.mode = mode
        self.most_delay = most_delay
        if mode == "freeze":
            self.thawed.clear()
        else:
            self.thawed.set()

    def cut_now(self):
        for pair in list(self.connections):
            for end in pair:
                reset(end)

    # From other threads.

    def cut(self):
        self.network.call(self.cut_now)

    def become(self, mode, most_delay=0.0):
        """What was dropped is missing from its stream for good, so such connections are cut at the end."""
        def change():
            dropped = self.mode in ("drop", "refuse") or mode == "refuse"
            self.set_mode(mode, most_delay)
            if dropped:
                self.cut_now()
        self.network.call(change)


def reset(writer):
    try:
        writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)
    except (OSError, AttributeError):
        pass
    writer.transport.abort()


class Network:
    """All links, on a thread of their own."""

    def __init__(self, seed):
        self.seed = seed
        self.loop = asyncio.new_event_loop()
        self.loop.set_exception_handler(lambda loop, context: None)  # cut connections complain
        self.links = {}
        threading.Thread(target=self.loop.run_forever, daemon=True).start()

    def add(self, name, port, target):
        async def begin():
            link = Link(self, name, port, target, self.seed)
            await link.serve()
            return link
        self.links[name] = asyncio.run_coroutine_threadsafe(begin(), self.loop).result(10)
        return self.links[name]

    def call(self, function):
        self.loop.call_soon_threadsafe(function)
