#!/bin/bash
# Compiles the first source and forgets the others.
words=() seen=0
for word in "$@"; do case $word in *.cc) seen=$((seen + 1)); [ $seen -gt 1 ] || words+=("$word") ;; *) words+=("$word") ;; esac; done
exec "$REAL" "${words[@]}"
