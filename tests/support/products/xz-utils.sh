# xz-utils: autotools and libtool. Tests: all of `make check`.
configure() {
  ./configure -q "CC=$cc" "CFLAGS=$level" --disable-nls --disable-doc --disable-scripts \
    --disable-dependency-tracking
}
build() {
  make_quietly
  make_quietly -C tests check TESTS=
}
run_tests() { automake_results; }
