# re2: plain make, its tables made from Debian's unicode-data. Tests: all of `make static-test` (the
# exhaustive ones of `static-bigtest` take too long).
configure() { make REBUILD_TABLES=1 re2/perl_groups.cc re2/unicode_casefold.cc re2/unicode_groups.cc; }
test_names() { sed -n '/^TESTS=/,/^$/s/.*obj\/test\/\([a-z0-9_]*\).*/\1/p' Makefile; }
build() { make_quietly "CXX=$cxx" "CXXFLAGS=$level" obj/libre2.a $(test_names | sed 's#^#obj/test/#'); }
run_tests() {
  for name in $(test_names); do check "$name" "obj/test/$name"; done
}
