# zlib: a configure script of its own, and make. Tests: all of `make test`.
configure() { CC=$cc CFLAGS="$level -D_LARGEFILE64_SOURCE=1" ./configure; }
build() { make_quietly all; }
run_tests() {
  check "make test" make test
  grep -F '***' test.log | LC_ALL=C sort
}
