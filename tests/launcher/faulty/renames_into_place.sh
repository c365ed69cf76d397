#!/bin/bash
# Compiles to a temporary name and renames.
words=("$@") out=
for ((i = 1; i < $#; ++i)); do [ "${words[i]}" != -o ] || { out=${words[i + 1]}; words[i + 1]=$out.tmp$$; }; done
# The machine needs its devices, whatever a case asks for.
[[ -n $out && $(realpath -m -- "$out") != /dev/* ]] || exec "$REAL" "$@"
"$REAL" "${words[@]}"; r=$?
[ ! -e "$out.tmp$$" ] || mv -f "$out.tmp$$" "$out"
exit $r
