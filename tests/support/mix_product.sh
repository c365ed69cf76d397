# Sourced after world.sh: the product `mix` in $W/product, small and with much to be had by doing less. The
# script adds main.c and hone.yaml.
#
#   tune NAME [ARGUMENTS]   `hone tune` of it: its report as $W/NAME.json
mkdir -p "$W/product" "$W/results"
cp "$ROOT/tests/e2e/dashboard/product/mix.c" "$W/product/"
cat > "$W/product/CMakeLists.txt" <<'CMAKE'
cmake_minimum_required(VERSION 3.13)
project(mix C)
add_executable(mix mix.c main.c)
CMAKE

tune() {
  local name=$1
  shift
  "$BIN/hone" tune "$W/product" --output "$W/results" --json "$@" > "$W/$name.events" 2> "$W/$name.err"
  ended=$?
  case $ended in 0 | 10) ;; *) no "$name: hone tune ended with $ended: $(cat "$W/$name.err")" ;; esac
  tail -n 1 "$W/$name.events" > "$W/$name.json"
}
