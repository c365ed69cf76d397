#!/bin/bash
# Knows one error only.
"$REAL" "$@" || exit 1
