#!/bin/bash
# Tunes whatever it sees, without a look at what it is and without a way back.
case "$1" in *clang*) exec "$1" -Werror=pass-failed -O3 -fno-vectorize -fno-slp-vectorize -fno-inline "${@:2}" -O3 ;; esac
exec "$1" -fno-tree-vectorize "${@:2}" -O3
