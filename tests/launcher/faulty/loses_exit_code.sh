#!/bin/bash
# Always content.
"$REAL" "$@"
exit 0
