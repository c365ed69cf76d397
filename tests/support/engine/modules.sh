# Sourced by tests/perf/engine_*.sh: modules of real products, as clang leaves them before any pass.
#
# Needs: $root, $out (kept there). Sets modules: files of bitcode, 3 KB to 1 MB.
#
# From Debian source packages that compile without being configured: one line a module, PACKAGE FILE
# FLAGS.
module_list() {
  cat << 'LIST'
zlib compress.c
zlib inffast.c
zlib inftrees.c
zlib adler32.c
zlib trees.c
zlib deflate.c
bzip2 huffman.c
bzip2 blocksort.c
lz4 lib/xxhash.c
lz4 lib/lz4hc.c
libdeflate lib/adler32.c -I.
libdeflate lib/deflate_decompress.c -I.
libdeflate lib/deflate_compress.c -I.
brotli c/dec/bit_reader.c -Ic/include
brotli c/dec/state.c -Ic/include
brotli c/enc/literal_cost.c -Ic/include
brotli c/enc/encode.c -Ic/include
libzstd lib/common/entropy_common.c
libzstd lib/compress/hist.c
libzstd lib/compress/zstd_lazy.c
double-conversion double-conversion/bignum.cc
double-conversion double-conversion/strtod.cc
pugixml src/pugixml.cpp
LIST
}

make_modules() {
  mkdir -p "$out/modules" "$out/sources"
  modules=()
  local packages
  packages=$(module_list | while read -r package rest; do [ -d "$out/sources/$package" ] || echo "$package"; done | sort -u)
  [ -z "$packages" ] || "$root/deploy/debian_source.sh" "$out/sources" $packages
  local package file flags module compiler
  while read -r package file flags; do
    module=$out/modules/$package-$(basename "$file").bc
    if [ ! -s "$module" ]; then
      compiler=clang-19
      case $file in *.cc | *.cpp) compiler=clang++-19 ;; esac
      # What the front end asks for at -O3, and not one pass of it run.
      (cd "$out/sources/$package" && $compiler -O3 -w -Xclang -disable-llvm-passes $flags -emit-llvm -c "$file" -o "$module.new")
      mv "$module.new" "$module"
    fi
    modules+=("$module")
  done < <(module_list)
}

# make_generated_modules CSMITH STRESS: as many modules of csmith's programs and of llvm-stress, the same
# ones on every machine; sets modules.
make_generated_modules() {
  local i
  modules=()
  for ((i = 1; i <= $1; i++)); do
    if [ ! -s "$out/modules/csmith-$i.bc" ]; then
      # It leaves a file in the folder it runs in.
      (cd "$out/modules" && csmith --seed "$i" > "csmith-$i.c")
      clang-19 -O3 -w -Xclang -disable-llvm-passes -I/usr/include/csmith -emit-llvm -c \
        "$out/modules/csmith-$i.c" -o "$out/modules/csmith-$i.bc"
    fi
    modules+=("$out/modules/csmith-$i.bc")
  done
  for ((i = 1; i <= $2; i++)); do
    [ -s "$out/modules/stress-$i.bc" ] ||
      llvm-stress-19 -seed "$i" -size 300 | opt-19 -o "$out/modules/stress-$i.bc"
    modules+=("$out/modules/stress-$i.bc")
  done
}
