#!/bin/sh
# make_input.sh FILE: 8 MiB of the package's own C sources, repeated. The same sources give the same
# bytes. One round is longer than lz4's 64 KiB window, so the repetition gains the compressor nothing.
set -eu
size=8388608
cd "$(dirname "$0")/.."
out=hone/input.bin
[ $# -eq 0 ] || out=$1
round() {
  for file in lib/*.[ch] programs/*.[ch] tests/*.[ch] examples/*.[ch]; do
    cat "$file"
  done
}
round > "$out.round"
bytes=$(wc -c < "$out.round")
rounds=$(( (size + bytes - 1) / bytes ))
i=0
while [ "$i" -lt "$rounds" ]; do
  cat "$out.round"
  i=$((i + 1))
done | head -c "$size" > "$out.part"
rm -f "$out.round"
mv "$out.part" "$out"
