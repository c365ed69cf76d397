#!/bin/bash
# Calls sources by their real path.
words=()
for word in "$@"; do if [ -L "$word" ] && [[ $word == *.c* ]]; then words+=("$(realpath "$word")"); else words+=("$word"); fi; done
exec "$REAL" "${words[@]}"
