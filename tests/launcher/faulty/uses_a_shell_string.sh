#!/bin/bash
# Puts the command together as one string for a shell.
text=
for word in "$@"; do text="$text \"$word\""; done
exec bash -c "exec '$REAL' $text"
