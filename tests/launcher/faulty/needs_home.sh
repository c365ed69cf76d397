#!/bin/bash
# Cannot live without a HOME that it can write to.
: "${HOME:?launcher: no HOME}"
: > "$HOME/.launcher" || exit 1
exec "$REAL" "$@"
