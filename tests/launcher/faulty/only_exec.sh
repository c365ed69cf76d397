#!/bin/bash
# Becomes the compiler and never tunes.
case "$1" in --*) exec "$REAL" "$@" ;; esac
exec "$@"
