#!/bin/bash
# Loses the last argument that is an option with a value joined to it: -Dx=y, -Ipath, -fname.
words=("$@")
for ((i = $# - 1; i > 1; --i)); do
  case ${words[i]} in -[DIfMWgmpx]?*) unset "words[$i]"; break ;; esac
done
exec "$REAL" "${words[@]}"
