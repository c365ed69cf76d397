# libdeflate: plain make that asks the compiler about options. Tests: every test_* program, round
# trips of its gzip.
configure() { :; }
build() { make_quietly "CC=$cc" "CFLAGS=$level" all test_programs; }
run_tests() {
  for program in test_*; do
    if [ -f "$program" ] && [ -x "$program" ]; then check "$program" "./$program"; fi
  done
  cat lib/*.c programs/*.c > data
  for compression in 1 6 12; do
    check "gzip -$compression" ./gzip "-$compression" -k -f data
    check "gunzip -t" ./gzip -t data.gz
    ./gzip -dc data.gz | sha256sum
  done
}
