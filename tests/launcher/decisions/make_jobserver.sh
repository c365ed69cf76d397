#!/usr/bin/env bash
# make -j through the launcher: every object tuned, the jobserver reaches the compiler, no torn log line.
# fails with: closes_descriptors only_exec
. "$(dirname "$0")/../support.sh"
command -v make >/dev/null || { echo "SKIP: no make"; exit 77; }
tune_all
for i in $(seq 1 40); do echo "int f$i(int n) { int s = 0; for (int k = 0; k < n; ++k) s += k * $i; return s; }" > s$i.cc; done
real=$(command -v "$CLANG")
cat > clang++ <<S
#!/bin/bash
[ "\$1" = --version ] || { auth=\$(sed -n 's/.*--jobserver-auth=\([^ ]*\).*/\1/p' <<< "\${MAKEFLAGS:-}")
case "\$auth" in fifo:*) [ -p "\${auth#fifo:}" ];; *,*) [ -e /proc/self/fd/\${auth%,*} ] && [ -e /proc/self/fd/\${auth#*,} ];; *) false;; esac || echo lost >> "/lost"; }
exec "$real" "\$@"
S
sed -i "s|/lost\"|$W/lost\"|; s|\"$W$W|\"$W|" clang++; chmod +x clang++
printf 'all: $(patsubst %%.cc,%%.o,$(wildcard s*.cc))\n%%.o: %%.cc\n\t+@"$(LAUNCHER)" ./clang++ -O3 -c $< -o $@\n' > Makefile
timeout 300 make -s -j8 LAUNCHER="$L" 2> make.err || no "make failed: $(head -3 make.err)"; quiet make.err "make"
[ ! -e lost ] || no "the jobserver was lost"; [ "$(ls s*.o | wc -l)" = 40 ] || no "$(ls s*.o | wc -l) objects"
[ "$(grep -c '^{.*"compiled":"tuned".*}$' state/compiles.ndjson)" = 40 ] || no "$(grep -c tuned state/compiles.ndjson) of 40 tuned"
exit $bad
