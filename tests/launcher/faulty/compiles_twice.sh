#!/bin/bash
# Compiles twice, to be sure.
"$REAL" "$@" > /dev/null 2>&1
exec "$REAL" "$@"
