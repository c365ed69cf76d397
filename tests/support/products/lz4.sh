# lz4: plain make; the library's compile has several sources in one call. Tests: both fuzzers with a
# fixed seed, round trips of the command line.
configure() { :; }
build() {
  make_quietly -C lib "CC=$cc" "CFLAGS=$level" liblz4.a
  make_quietly -C programs "CC=$cc" "CFLAGS=$level" lz4
  make_quietly -C tests "CC=$cc" "CFLAGS=$level" fuzzer frametest checkFrame datagen roundTripTest
}
run_tests() {
  check fuzzer tests/fuzzer -s1 -i300
  check frametest tests/frametest -s1 -i300
  tests/datagen -g4M -P60 > data
  check roundTripTest tests/roundTripTest data
  for compression in 1 9 12; do
    check "lz4 -$compression" programs/lz4 -q -f "-$compression" data data.lz4
    check "lz4 -$compression -t" programs/lz4 -q -t data.lz4
    sha256sum data.lz4
  done
}
