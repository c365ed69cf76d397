#!/bin/bash
# Has the dependency file written beside the working directory's object.
for word in "$@"; do case $word in -MD | -MMD) exec "$REAL" "$@" -MF launcher.d ;; esac; done
exec "$REAL" "$@"
