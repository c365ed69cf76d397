#!/bin/sh
# make_input.sh FILE: 6 MiB of words from a fixed seed, short and common ones more often.
set -eu
awk 'BEGIN {
  state = 12345
  for (word = 0; word < 4000; ++word) {
    text = ""
    for (letter = 0; letter <= word % 9 + 1; ++letter) {
      state = (state * 1103515245 + 12345) % 2147483648
      text = text sprintf("%c", 97 + int(state / 65536) % 26)
    }
    words[word] = text
  }
  for (bytes = 0; bytes < 6291456; bytes += length(text) + 1) {
    state = (state * 1103515245 + 12345) % 2147483648
    share = int(state / 65536) / 32768
    text = words[int(share * share * 4000)]
    printf "%s%s", text, (state % 11 == 0 ? "\n" : " ")
  }
}' > "$1.part"
mv "$1.part" "$1"
