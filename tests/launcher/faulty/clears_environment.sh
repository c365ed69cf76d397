#!/bin/bash
# Compiles in an environment of its own.
exec env -i PATH="$PATH" HONE_POLICY="${HONE_POLICY:-}" HONE_ROOT="${HONE_ROOT:-}" HONE_STATE_DIR="${HONE_STATE_DIR:-}" "$REAL" "$@"
