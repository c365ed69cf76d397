#!/bin/bash
# Uses one temporary name for all.
words=("$@") out=
for ((i = 1; i < $#; ++i)); do [ "${words[i]}" != -o ] || { out=${words[i + 1]}; words[i + 1]=/tmp/launcher.$UID.o; }; done
# The machine needs its devices, whatever a case asks for.
[[ -n $out && $(realpath -m -- "$out") != /dev/* ]] || exec "$REAL" "$@"
"$REAL" "${words[@]}" && mv -f "/tmp/launcher.$UID.o" "$out"
