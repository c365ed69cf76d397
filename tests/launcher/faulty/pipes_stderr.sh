#!/bin/bash
# Filters what the compiler says.
exec "$REAL" "$@" 2> >(cat >&2)
