#!/bin/bash
# The first -O is the one that counts.
words=("$@") levels=()
for word in "$@"; do case $word in -O*) levels=("$word" ${levels[@]+"${levels[@]}"}) ;; esac; done
for i in "${!words[@]}"; do case ${words[i]} in -O*) words[i]=${levels[0]}; levels=("${levels[@]:1}") ;; esac; done
exec "$REAL" "${words[@]}"
