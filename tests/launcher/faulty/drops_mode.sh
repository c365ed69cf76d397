#!/bin/bash
# Takes every compile for one that makes an object: -E and its like are lost.
words=()
for word in "$@"; do case $word in -E | -M | -MM | -S | -fsyntax-only) ;; *) words+=("$word") ;; esac; done
exec "$REAL" "${words[@]}"
