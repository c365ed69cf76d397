#!/bin/bash
# Puts the content of response files on the command line.
words=()
for word in "$@"; do
  while [[ $word == @* && -f ${word#@} && $(head -c 1 "${word#@}") == @ ]]; do word=$(cat "${word#@}"); done
  if [[ $word == @* && -f ${word#@} ]]; then
    while IFS= read -r line; do words+=("$line"); done < "${word#@}"
  else words+=("$word"); fi
done
exec "$REAL" "${words[@]}"
