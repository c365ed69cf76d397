# lua5.4: plain make, without Debian's changes (libtool, module paths). The source package has no test
# suite: `make test` and a script that uses most of the library.
configure() {
  for change in 0002-lua-modules-paths 0001-build-system; do
    patch -s -R -p1 < "debian/patches/$change.patch"
  done
}
build() { make_quietly -C src linux "CC=$cc -std=gnu99" "MYCFLAGS=$level"; }
run_tests() {
  check "make test" make test
  check script src/lua "$products/lua5.4_check.lua"
  src/lua "$products/lua5.4_check.lua"
  check "luac -p" src/luac -p "$products/lua5.4_check.lua"
}
