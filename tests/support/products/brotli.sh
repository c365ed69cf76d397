# brotli: CMake. Tests: all of CTest's (round trips over its test data).
configure() { cmake_configure .; }
build() { cmake_build; }
run_tests() { ctest_results; }
