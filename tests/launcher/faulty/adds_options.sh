#!/bin/bash
# Adds an option of its own to every compile.
exec "$REAL" "$1" -fno-strict-aliasing -fexceptions -march=x86-64-v3 "${@:2}"
