# libyaml: CMake. Tests: all of CTest's.
configure() { cmake_configure . -DBUILD_TESTING=ON; }
build() { cmake_build; }
run_tests() { ctest_results; }
