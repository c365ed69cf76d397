#!/bin/bash
# Loses empty arguments.
words=()
for word in "$@"; do [ -z "$word" ] || words+=("$word"); done
exec "$REAL" "${words[@]}"
