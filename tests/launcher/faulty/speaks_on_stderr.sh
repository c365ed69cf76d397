#!/bin/bash
# Tells the user what it does.
echo "launcher: compiling" >&2
exec "$REAL" "$@"
