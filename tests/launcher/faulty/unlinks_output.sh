#!/bin/bash
# Removes the object first.
words=("$@") out=
for ((i = 1; i < $#; ++i)); do [ "${words[i]}" != -o ] || out=${words[i + 1]}; done
[[ -z $out || $(realpath -m -- "$out") == /dev/* ]] || rm -f -- "$out" 2>/dev/null
exec "$REAL" "$@"
