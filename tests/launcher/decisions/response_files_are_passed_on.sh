#!/usr/bin/env bash
# Response files decide what happens, but the compiler gets the command as it came.
# fails with: expands_response_files only_exec
. "$(dirname "$0")/../support.sh"
tune_all
loop_source > a.cc
real=$(command -v "$CLANG")
printf '#!/bin/sh\ncase "$1" in --version) ;; *) printf "%%s\\n" "$@" > "%s/args";; esac\nexec "%s" "$@"\n' "$W" "$real" > clang++; chmod +x clang++
printf '%s\n' '-O0' '"-O3"' '@inner' > outer; printf '%s\n' '-c' 'a.cc' > inner
"$L" ./clang++ @outer -o 'a b.o' || no "compile failed"
logged '"compiled":"tuned"' "tuned through @file"
tail -n 3 args > tail; printf '@outer\n-o\na b.o\n' > want; cmp -s tail want || no "the compiler got: $(tr '\n' ' ' < args)"
printf '%s\n' '-O3' '-O0' > outer2; "$L" ./clang++ @outer2 -c a.cc -o a.o; logged '"reason":"level"' "last -O wins"
printf '@outer2\n-c\na.cc\n-o\na.o\n' > want; cmp -s args want || no "plain: the compiler got: $(tr '\n' ' ' < args)"
# A response file that is a pipe reaches the compiler unread.
"$L" ./clang++ @<(echo -O3 -c a.cc -o piped.o) || no "a pipe as response file"; [ -s piped.o ] || no "no piped.o"
exit $bad
