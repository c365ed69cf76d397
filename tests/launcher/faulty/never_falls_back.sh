#!/bin/bash
# Takes a failed attempt for the user's error.
HONE_ON_FAILURE=error exec "$REAL" "$@"
