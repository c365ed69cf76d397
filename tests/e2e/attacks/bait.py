# Listens on every kind of socket and writes a line for whoever connects or sends.
import os, select, socket, sys
folder = sys.argv[1]
tcp = socket.socket(); tcp.bind(("127.0.0.1", 0)); tcp.listen()
udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); udp.bind(("127.0.0.1", 0))
path = socket.socket(socket.AF_UNIX); path.bind(folder + "/bait.socket"); path.listen()
os.chmod(folder + "/bait.socket", 0o777)
name = f"hone-bait-{os.getpid()}"
abstract = socket.socket(socket.AF_UNIX); abstract.bind("\0" + name); abstract.listen()
with open(folder + "/bait.ready.part", "w") as facts:
    facts.write(f"tcp {tcp.getsockname()[1]}\nudp {udp.getsockname()[1]}\n"
                f"unix {folder}/bait.socket\nabstract {name}\n")
os.rename(folder + "/bait.ready.part", folder + "/bait.ready")
hits = open(folder + "/bait.hits", "a", buffering=1)
while True:
    for ready in select.select([tcp, udp, path, abstract], [], [])[0]:
        if ready is udp:
            ready.recv(100)
        else:
            ready.accept()[0].close()
        hits.write({tcp: "tcp", udp: "udp", path: "unix", abstract: "abstract"}[ready] + "\n")
