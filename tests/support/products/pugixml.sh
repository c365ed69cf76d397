# pugixml: CMake. Tests: all of CTest's (one program).
configure() { cmake_configure . -DPUGIXML_BUILD_TESTS=ON; }
build() { cmake_build; }
run_tests() { ctest_results; }
