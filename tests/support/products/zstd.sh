# zstd: CMake. Tests: the fuzzers with a fixed seed and few rounds, round trips; playTests.sh is
# left out, it takes many minutes.
source_package=libzstd
configure() {
  cmake_configure build/cmake -DZSTD_BUILD_TESTS=ON -DZSTD_BUILD_SHARED=OFF \
    -DZSTD_LEGACY_SUPPORT=OFF -DZSTD_BUILD_CONTRIB=OFF
}
build() { cmake_build zstd fuzzer zstreamtest datagen; }
run_tests() {
  check fuzzer build/tests/fuzzer -s1 -i200
  check zstreamtest build/tests/zstreamtest -s1 -i50
  build/tests/datagen -g4M -P60 > data
  for compression in 1 3 12 19; do
    check "zstd -$compression" build/programs/zstd -q -f "-$compression" data -o data.zst
    check "zstd -$compression -t" build/programs/zstd -q -t data.zst
    sha256sum data.zst
  done
}
