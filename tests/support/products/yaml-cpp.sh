# yaml-cpp: CMake, with Debian's googletest. Tests: all of CTest's (one program).
configure() { cmake_configure . -DYAML_CPP_BUILD_TESTS=ON -DYAML_CPP_BUILD_TOOLS=ON -DINSTALL_GTEST=OFF; }
build() { cmake_build; }
run_tests() { ctest_results; }
