#!/bin/bash
# Makes the output's folder if there is none.
words=("$@")
for ((i = 1; i < $#; ++i)); do [ "${words[i]}" != -o ] || mkdir -p -- "$(dirname -- "${words[i + 1]}")" 2>/dev/null; done
exec "$REAL" "$@"
