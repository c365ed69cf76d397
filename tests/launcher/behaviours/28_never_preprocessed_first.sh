#!/usr/bin/env bash
# Warnings that depend on comments, macros and where a header lies: the compiler sees the source itself.
# fails with: preprocesses_first
. "$(dirname "$0")/../behaviour.sh"
mkdir -p in/sys in/inc
cat > in/a.cc <<'E'
#include <noisy.h>
#include "macros.h"
int f(int n) { int s = 0;
  switch (n) { case 1: s = 1; /* fall through */
    case 2: s += 2; break; default: SWALLOW(s) }
  if (n == n) s += TWICE(n); for (int i = 0; i < n; ++i) s += i;
  return s + __LINE__; }
const char* where = __FILE__; const char* base = __BASE_FILE__;
E
echo 'inline int noisy(int x) { unsigned u = x; return u < 0; }' > in/sys/noisy.h
printf '#pragma GCC system_header\n#define TWICE(x) ((x) + (x))\n#define SWALLOW(s) ;\n' > in/inc/macros.h
twins -t <<'LINES'
cc -O3 -Wall -Wextra -Wimplicit-fallthrough -isystem sys -Iinc -c a.cc
cc -O3 -Wall -Wextra -Wimplicit-fallthrough -Isys -Iinc -c a.cc
cc -O3 -Wall -isystem sys -Iinc -c a.cc -w
cc -O3 -Wall -Wextra -Wcomment -Wunused-macros -isystem sys -Iinc -c a.cc
cc -O3 -H -isystem sys -Iinc -c a.cc
cc -O3 -fmacro-prefix-map=a=b -isystem sys -Iinc -c a.cc
LINES
both 'cc -O3 -g3 -isystem sys -Iinc -c a.cc; readelf --debug-dump=macro a.o 2>/dev/null | grep -c "TWICE"; readelf --debug-dump=info a.o | grep -aoE "DW_AT_name .*a\.cc$" | sed "s/.*: //"'
exit $bad
