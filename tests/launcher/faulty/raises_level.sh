#!/bin/bash
# Makes -O2 and its like -O3, so that they are tuned, too.
exec "$REAL" "${@/#-O[012sgz]/-O3}"
