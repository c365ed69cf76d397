# fmt: CMake, with Debian's googletest. Tests: seven of CTest's twenty, the others are not built, for
# time.
source_package=fmtlib
tests="args-test assert-test color-test core-test gtest-extra-test ostream-test printf-test"
configure() { cmake_configure . -DFMT_DOC=OFF -DFMT_TEST=ON -DFMT_FUZZ=OFF; }
build() { cmake_build fmt $tests; }
run_tests() { ctest_results -R "^(${tests// /|})\$"; }
