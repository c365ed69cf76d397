# leveldb: CMake, with Debian's googletest and benchmark libraries. Tests: all of CTest's but db_test,
# which takes minutes; its benchmarks are not built.
# No -Wall: its own CMakeLists.txt makes every warning an error, and clang 19 has some.
configure() {
  level=-O3
  cmake_configure . -DLEVELDB_BUILD_BENCHMARKS=OFF -DCMAKE_CXX_STANDARD=14
}
build() { cmake_build; }
run_tests() { ctest_results -E '^db_test$'; }
