# Sourced by tests/perf/engine_*.sh: modules of real products, as clang leaves them before any pass.
#
# Needs: $root, $out (kept there). Sets modules: files of bitcode, 3 KB to 1 MB.
#
# From Debian source packages that compile without being configured: one line a module, PACKAGE FILE
# FLAGS.
module_list() {
  cat << 'LIST'
zlib adler32.c
zlib crc32.c
zlib trees.c
zlib deflate.c
bzip2 huffman.c
bzip2 blocksort.c
bzip2 decompress.c
lz4 lib/lz4.c
lz4 lib/lz4hc.c
lua5.4 src/lzio.c
lua5.4 src/lcode.c
lua5.4 src/lvm.c
brotli c/dec/decode.c -Ic/include
brotli c/enc/encode.c -Ic/include
libzstd lib/decompress/zstd_decompress_block.c
libzstd lib/compress/zstd_lazy.c
libzstd lib/compress/zstd_opt.c
double-conversion double-conversion/bignum.cc
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
      (cd "$out/sources/$package" && $compiler -O3 -Xclang -disable-llvm-passes $flags -emit-llvm -c "$file" -o "$module.new")
      mv "$module.new" "$module"
    fi
    modules+=("$module")
  done < <(module_list)
}
