#!/bin/bash
# Asks a server first.
(exec 3<> /dev/tcp/127.0.0.1/9) 2>/dev/null
exec "$REAL" "$@"
