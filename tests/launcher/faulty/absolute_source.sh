#!/bin/bash
# Makes the names of sources absolute.
words=()
for word in "$@"; do case $word in [!-/]*.cc) words+=("$PWD/$word") ;; *) words+=("$word") ;; esac; done
exec "$REAL" "${words[@]}"
