#!/usr/bin/env bash
# A job links each program several times and draws one for every run, however the product is built;
# where that cannot be, or is switched off, it measures one and its result says why.
. "$(dirname "${BASH_SOURCE[0]}")/../support/world.sh"
[ -x "$BIN/hone-link" ] || { echo "SKIP: no $BIN/hone-link"; exit 77; }
probe=$ROOT/tests/integration/probe
world_up

# product NAME: a variant of the probe product; the rest of hone.yaml is standard input
product() {
  mkdir -p "$W/products"
  cp -r "$probe" "$W/products/$1"
  printf 'all: probe\nprobe: probe.o work.o\n\t$(CC) -O3 $^ -o $@\n%%.o: %%.c\n\t$(CC) -O3 -c $< -o $@\n' \
    > "$W/products/$1/Makefile"
  { echo "name: $1"; cat; } > "$W/products/$1/hone.yaml"
  "$BIN/hone" target add "$W/products/$1" > "$W/$1.add" 2>&1 || no "$1: $(cat "$W/$1.add")"
}

# measured NAME LINKS WARNING-PATTERN: the job of a candidate ends with that many links, and all of
# them were run on both sides; a warning like the pattern, or none about links.
measured() {
  "$BIN/hone" job submit "$1" --stage race --wait --json --pipeline 'function(sroa)' \
    > "$W/$1.json" 2> "$W/$1.err"
  [ "$(json "$W/$1.json" outcome)" = ok ] || { no "$1: $(json "$W/$1.json" reason) $(cat "$W/$1.err")"; return; }
  "$BIN/hone" job show "$(json "$W/$1.json" id)" --samples --json > "$W/$1.samples"
  python3 - "$W/$1.samples" "$2" "$3" <<'PYTHON' || no "$1: not measured as it should be"
import json, re, sys
result = json.load(open(sys.argv[1]))["result"]
links, pattern = int(sys.argv[2]), sys.argv[3]
drawn = {role: {s["layout"] for s in result["samples"] if s["role"] == role}
         for role in ("baseline", "candidate")}
said = [w for w in result["warnings"] if "link" in w]
assert result["links"] == links, (result["links"], result["warnings"])
assert drawn == {"baseline": set(range(links)), "candidate": set(range(links))}, drawn
assert result["layout_sigma"] >= 0 and (links > 1 or result["layout_sigma"] == 0), result["layout_sigma"]
assert bool(said) == bool(pattern) and all(re.search(pattern, w) for w in said), said
print(f"{links} links, layout_sigma {result['layout_sigma']:.4f}: {said}")
PYTHON
}

product by-cmake <<'YAML'
build: {cmake: {}, binaries: [probe]}
benchmark:
  command: ["{build}/probe", "{input}"]
  inputs: [{name: rounds, file: rounds.txt}]
YAML
measured by-cmake 8 ''
"$BIN/hone" job show "$(json "$W/by-cmake.json" id)" | grep -q '^links  *8 ' ||
  no "by-cmake: the number of links is not shown"

product by-make <<'YAML'
build: {commands: [[make, -f, "{source}/Makefile", "VPATH={source}", "CC={cc}"]], binaries: [probe]}
benchmark:
  command: ["{build}/probe", "{input}"]
  inputs: [{name: rounds, file: rounds.txt}]
  links: 3
YAML
measured by-make 3 ''

# The very program of the baseline is told by the plain link.
"$BIN/hone" job submit by-cmake --stage race --wait --json --pipeline 'default<O3>' > "$W/same.json" 2> "$W/same.err"
[ "$(json "$W/same.json" verdict)" = no_change ] && [ -z "$(json "$W/same.json" reward)" ] ||
  no "an identical binary: $(cat "$W/same.json")"

product off <<'YAML'
build: {cmake: {}, binaries: [probe]}
benchmark:
  command: ["{build}/probe", "{input}"]
  inputs: [{name: rounds, file: rounds.txt}]
  links: 1
YAML
measured off 1 'benchmark.links is 1'

product changed <<'YAML'
build:
  cmake: {}
  commands: [[objcopy, --strip-all, probe]]
  binaries: [probe]
benchmark:
  command: ["{build}/probe", "{input}"]
  inputs: [{name: rounds, file: rounds.txt}]
YAML
measured changed 1 'changed after its link'

world_down
finish
