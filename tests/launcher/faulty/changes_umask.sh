#!/bin/bash
# Has a umask of its own.
umask 022
exec "$REAL" "$@"
