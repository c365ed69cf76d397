# bzip2: plain make. Tests: all of `make test` (samples are packed and unpacked).
configure() { :; }
build() { make_quietly "CC=$cc" "CFLAGS=$level -Winline -D_FILE_OFFSET_BITS=64" libbz2.a bzip2 bzip2recover; }
run_tests() { check "make test" env LD_LIBRARY_PATH=. make "CC=$cc" test; }
