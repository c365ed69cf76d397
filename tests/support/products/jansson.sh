# jansson: CMake. Tests: all of CTest's.
configure() { cmake_configure . -DJANSSON_BUILD_DOCS=OFF -DJANSSON_EXAMPLES=OFF; }
build() { cmake_build; }
run_tests() { ctest_results; }
