#!/usr/bin/env bash
# A module mapper (GCC) is asked in one session, be it a program, a socket or a pair of descriptors.
# fails with: compiles_twice
. "$(dirname "$0")/../behaviour.sh"
command -v python3 >/dev/null || { echo "SKIP: no python3"; exit 77; }
mkdir in; echo 'export module m; export int f(int n) { int s = 0; for (int i = 0; i < n; ++i) s += i; return s; }' > in/m.cc
echo 'export module m; export int f(int n) { int x; if (n) x = n; return x; }' > in/warned.cc; echo 'export module m; export int broken(' > in/e.cc
# Answers as GCC's protocol wants; a second session is refused. Notes how many there were.
cat > in/mapper.py <<'P'
import os, sys, subprocess
def serve(reader, write):
    batch, sessions = [], 0
    for line in reader:
        text = line.strip(); more = text.endswith(";"); text = text.rstrip(" ;")
        if text.startswith("HELLO"):
            sessions += 1
            open("sessions", "a").write("x")
            answer = "HELLO 1 test 1" if len(open("sessions").read()) == 1 else "ERROR 'already connected'"
        elif text.startswith("MODULE-REPO"): answer = "PATHNAME ."
        elif text.startswith("INCLUDE"): answer = "BOOL FALSE"
        elif text.startswith("MODULE-EXPORT"): answer = "PATHNAME x.gcm"
        else: answer = "OK"
        batch.append(answer)
        if not more:
            write(" ;\n".join(batch) + "\n"); batch = []
if sys.argv[1] == "stdio":
    serve(iter(sys.stdin.readline, ""), lambda text: (sys.stdout.write(text), sys.stdout.flush()))
else:
    from_us, ours = os.pipe(); theirs, to_us = os.pipe()
    words = [w.replace("@R", str(from_us)).replace("@W", str(to_us)) for w in sys.argv[2:]]
    environment = {k: v.replace("@R", str(from_us)).replace("@W", str(to_us)) for k, v in os.environ.items()}
    child = subprocess.Popen(words, pass_fds=(from_us, to_us), env=environment)
    os.close(from_us); os.close(to_us)
    serve(os.fdopen(theirs), lambda text: os.write(ours, text.encode()))
    sys.exit(child.wait())
P
printf '#!/bin/sh\nexec python3 "$(dirname "$0")/mapper.py" stdio\n' > in/mapper; chmod +x in/mapper
C=$GXX
for f in m warned e; do
  twin -p 'python3 mapper.py pipes "${CC[@]}" -O3 -Wall -std=c++20 -fmodules-ts "-fmodule-mapper=<@R>@W" -c '$f'.cc; r=$?; cat sessions; exit $r'
  twin -p 'CXX_MODULE_MAPPER="<@R>@W" python3 mapper.py pipes "${CC[@]}" -O3 -Wall -std=c++20 -fmodules-ts -c '$f'.cc; r=$?; cat sessions; exit $r'
  twin -p 'cc -O3 -Wall -std=c++20 -fmodules-ts "-fmodule-mapper=|./mapper" -c '$f'.cc; r=$?; cat sessions; exit $r'
done
# The program does run, and a mapping in a file may be read twice.
[ "$(cat launched/sessions)" = x ] || no "test is wrong: sessions '$(cat launched/sessions)'"
for f in m e; do twin 'echo "m m.gcm" > map; cc -O3 -std=c++20 -fmodules-ts -fmodule-mapper=map -c '$f.cc; done
exit $bad
