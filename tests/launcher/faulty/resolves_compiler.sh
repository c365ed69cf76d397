#!/bin/bash
# Calls the compiler by its real path.
exec "$REAL" "$(realpath "$(command -v "$1")")" "${@:2}"
