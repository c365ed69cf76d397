# libpng: autotools and libtool. Tests: all of `make check`.
source_package=libpng1.6
configure() { ./configure -q "CC=$cc" "CFLAGS=$level" --disable-dependency-tracking; }
build() {
  make_quietly all
  make_quietly check TESTS=
}
run_tests() { automake_results; }
