#!/bin/bash
# Forgets the quotes around its arguments.
exec "$REAL" $*
