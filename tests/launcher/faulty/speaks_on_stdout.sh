#!/bin/bash
# Tells the user what it does, on standard output.
echo "launcher: compiling"
exec "$REAL" "$@"
