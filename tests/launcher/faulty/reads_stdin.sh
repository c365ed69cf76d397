#!/bin/bash
# Reads standard input.
cat > /dev/null
exec "$REAL" "$@"
