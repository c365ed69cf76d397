#!/usr/bin/env bash
# What configure scripts ask: versions, search paths, supported flags, -###.
# fails with: speaks_on_stdout speaks_on_stderr drops_argument loses_exit_code
. "$(dirname "$0")/../behaviour.sh"
mkdir in; echo 'int main() { return 0; }' > in/t.cc
twins -p <<'LINES'
cc --version
cc -v
cc -dumpversion
cc -dumpmachine
cc -print-prog-name=as
cc -print-file-name=libstdc++.so
cc -print-multi-lib
cc -print-search-dirs
cc --help
cc -Q --help=optimizers -O3 -c t.cc | sed -n 1,3p
cc -O3 -v -c t.cc 2>&1 | grep -c hone
cc -x c++ -E -dM /dev/null -O3 | LC_ALL=C sort
cc -O3 -Werror -fno-such-flag-at-all -c t.cc
cc -O3 -march=no-such-machine -c t.cc
cc -O3 -std=c++99 -c t.cc
cc -O3 -fuse-ld=nosuch t.cc
cc
cc -c
cc -O3 -c nosuch.cc
cc ''
LINES
# An error for clang; GCC says nothing and compiles.
both 'cc -O3 -Werror -Wno-such-warning-at-all -c t.cc'
both -n 'cc -O3 -Werror -Wl,--as-needed t.cc -o t && ./t'
C=$CLANG; twin -p 'cc -O3 -### -c t.cc -o t.o'; twin -p 'cc -O3 -fdriver-only -c t.cc -o t.o'; twin -p 'cc -print-resource-dir; cc --print-targets'
# A flag probe that asks for warnings as errors sees no option of ours.
for C in "$CLANG" "$GXX"; do twin -t 'cc -O3 -Werror -Wall -Wextra -pedantic-errors -c t.cc'; done
C=$CLANG; twin -t 'cc -O3 -Werror=unused-command-line-argument -Weverything -Wno-c++98-compat -c t.cc'
exit $bad
