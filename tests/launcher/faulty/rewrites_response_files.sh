#!/bin/bash
# Splits response files at blanks, without a thought for quotes.
words=()
for word in "$@"; do
  if [[ $word == @* && -f ${word#@} ]]; then words+=($(tr -d '"' < "${word#@}" | tr -d "'")); else words+=("$word"); fi
done
exec "$REAL" "${words[@]}"
