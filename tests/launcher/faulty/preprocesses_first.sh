#!/bin/bash
# Preprocesses, then compiles what came out.
words=() source=
for word in "$@"; do case $word in *.cc | *.cpp) source=$word ;; -M* | -H) ;; *) words+=("$word") ;; esac; done
[ -n "$source" ] || exec "$REAL" "$@"
out=$(basename "$source"); out=${out%.*}
"$@" -E -o "$out.ii" -c 2>/dev/null
"$REAL" "${words[@]}" "$out.ii"; r=$?
rm -f "$out.ii"
exit $r
