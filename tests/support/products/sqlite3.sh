# sqlite3: autotools and libtool; the amalgamation is made beforehand. The Makefile compiles and links
# its programs in one call, here each object has a call of its own. Tests: the first two databases of
# the suite's fuzzcheck; the Tcl tests take hours.
options="-DSQLITE_OMIT_LOAD_EXTENSION -DSQLITE_ENABLE_MEMSYS5 -DSQLITE_OSS_FUZZ
  -DSQLITE_MAX_MEMORY=50000000 -DSQLITE_PRINTF_PRECISION_LIMIT=1000 -DSQLITE_ENABLE_FTS4
  -DSQLITE_ENABLE_FTS3_PARENTHESIS -DSQLITE_ENABLE_FTS5 -DSQLITE_ENABLE_RTREE
  -DSQLITE_ENABLE_GEOPOLY -DSQLITE_ENABLE_DBSTAT_VTAB -DSQLITE_ENABLE_BYTECODE_VTAB"
programs="test/fuzzcheck test/ossfuzz test/fuzzinvariants ext/recover/dbdata
  ext/recover/sqlite3recover test/vt02"
configure() {
  ./configure -q "CC=$cc" "CFLAGS=$level" --disable-shared --disable-readline --disable-tcl
  make -s sqlite3.c sqlite3.h
}
build() {
  make_quietly "CFLAGS=$level $(echo $options)" libsqlite3.la
  local name
  for name in $programs test/speedtest1; do
    $cc $level $options -I. -Itest -Iext/recover -c "$name.c" -o "$name.o"
  done
  clang-19 -o fuzzcheck $(printf '%s.o ' $programs) .libs/libsqlite3.a -lm -lpthread
  clang-19 -o speedtest1 test/speedtest1.o .libs/libsqlite3.a -lm -lpthread
}
run_tests() {
  check fuzzcheck ./fuzzcheck test/fuzzdata1.db test/fuzzdata2.db
  check speedtest1 ./speedtest1 --size 5 --memdb --singlethread --verify :memory:
  sed -n 's/^.*Verification Hash: *//p' test.log
}
