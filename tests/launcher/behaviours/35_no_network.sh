#!/usr/bin/env bash
# The launcher opens no socket: without a network, or with an address that answers nothing, all is the same.
# fails with: opens_a_socket
. "$(dirname "$0")/../behaviour.sh"
mkdir in; loop_source > in/a.cc
both -t 'HONE_URL=http://192.0.2.1:7077 cc -O3 -c a.cc'
both 'http_proxy=http://192.0.2.1:1 https_proxy=http://192.0.2.1:1 HONE_URL=http://127.0.0.1:1 cc -O3 -c a.cc'
if unshare -n true 2>/dev/null; then
  for cc in "$CLANG" "$GXX"; do cap q unshare -n "$L" "$cc" -O3 -c in/a.cc -o q.o; [ "$(cat q.rc)" = 0 ] && [ -s q.o ] || no "$cc without a network: exit $(cat q.rc)"; quiet q.err "$cc without a network"; done
fi
if command -v strace >/dev/null && strace -f -o /dev/null true 2>/dev/null; then
  for cc in "$CLANG" "$GXX"; do
    strace -f -e trace=socket,connect,sendto -o trace "$L" "$cc" -O3 -c in/a.cc -o a.o 2>/dev/null
    # Looking up users and names through nscd is the compiler's or the shell's own business: AF_UNIX.
    ! grep -E 'AF_INET|AF_NETLINK' trace > found || no "$cc: $(head -1 found)"
  done
else
  echo "note: no strace"
fi
exit $bad
