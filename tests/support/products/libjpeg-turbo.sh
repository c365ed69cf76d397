# libjpeg-turbo: CMake, without its assembler parts. Tests: all of CTest's.
configure() { cmake_configure . -DWITH_SIMD=OFF; }
build() { cmake_build; }
run_tests() { ctest_results; }
