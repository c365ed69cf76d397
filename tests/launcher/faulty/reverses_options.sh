#!/bin/bash
# Puts -g and -X options behind the others, the last of them first.
words=() moved=()
for word in "$@"; do case $word in -g* | -Xclang) moved=("$word" ${moved[@]+"${moved[@]}"}) ;; *) words+=("$word") ;; esac; done
exec "$REAL" "${words[@]}" ${moved[@]+"${moved[@]}"}
