# snappy: CMake, with Debian's googletest. Tests: all of CTest's.
configure() {
  cmake_configure . -DBUILD_SHARED_LIBS=ON -DSNAPPY_BUILD_BENCHMARKS=OFF -DSNAPPY_USE_BUNDLED_GTEST=OFF \
    -DSNAPPY_USE_BUNDLED_BENCHMARK_LIB=OFF
}
build() { cmake_build; }
run_tests() { ctest_results; }
