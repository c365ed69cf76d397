#!/usr/bin/env bash
# A response file reaches the compiler as it was received: what stands in it need not fit on a command line.
# fails with: expands_response_files
. "$(dirname "$0")/../behaviour.sh"
mkdir in; echo 'int v = NAME_39999; int f(int n) { int s = 0; for (int i = 0; i < n; ++i) s += i; return s; }' > in/a.cc
# 2.6 MB: above what execve takes in all, whatever the stack limit of the shell is.
awk 'BEGIN {for (i = 0; i < 40000; ++i) printf "-DNAME_%d=%d -DA_NAME_THAT_TAKES_ROOM_ON_THE_COMMAND_LINE_%d\n", i, i, i}' > in/big
echo '@big' > in/outer
both -t 'cc -O3 @big -c a.cc -o a.o'
both -t 'cc -O3 @outer -c a.cc -o a.o'
# The compiler sees "@big", not its content.
real=$(command -v "$CLANG")
printf '#!/bin/sh\ncase "$1" in --version) ;; *) printf "%%s\\n" "$#" "$@" | grep -c NAME_ > "%s/seen";; esac\nexec "%s" "$@"\n' "$W" "$real" > clang++; chmod +x clang++
cd in; l ../clang++ -O3 @big -c a.cc -o a.o || no "through a wrapper"
[ "$(cat "$W/seen")" = 0 ] || no "the compiler got $(cat "$W/seen") arguments out of the file"
exit $bad
