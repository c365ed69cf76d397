# leveldb: CMake, with Debian's googletest and benchmark libraries. Tests: all of CTest's but db_test,
# which takes minutes; its benchmarks are not built.
# Its own CMakeLists.txt makes warnings errors, and its callbacks do not use all their parameters.
configure() {
  level="-O3 -Wall"
  cmake_configure . -DLEVELDB_BUILD_BENCHMARKS=OFF -DCMAKE_CXX_STANDARD=14
}
build() { cmake_build; }
run_tests() { ctest_results -E '^db_test$'; }
