"""What HAProxy and the store say while a round runs, five times a second."""
import json
import subprocess
import threading
import time

from world import POSTGRES_PORT


class Watch(threading.Thread):
    PAUSE = 0.2

    def __init__(self, world):
        super().__init__(daemon=True)
        self.world = world
        self.samples = []   # [{"at", "owners": {state: owner}, "weights": World.weights()}]
        self.over = threading.Event()

    def run(self):
        names = {id: name for name, id in self.world.ids.items()}
        ids = ",".join(f"'{id}'" for id in names)
        asked = f"SELECT json_object_agg(id, owner) FROM canaries WHERE id IN ({ids});\n"
        database = f"postgresql://hone@127.0.0.1:{POSTGRES_PORT}/hone"
        with subprocess.Popen(["psql", "-XAtq", "-d", database], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                              text=True) as store:
            while not self.over.wait(self.PAUSE):
                at = time.time()  # before: nothing is seen earlier than it was
                store.stdin.write(asked)
                store.stdin.flush()
                owners = json.loads(store.stdout.readline())
                self.samples.append({"at": at, "owners": {names[id]: owner for id, owner in owners.items()},
                                     "weights": self.world.weights()})
            store.stdin.close()

    def stop(self):
        self.over.set()
        self.join()
        return self.samples
