#!/usr/bin/env bash
# Several sources in one call make an object each in the working directory, and links leave none.
# fails with: first_source_only leaves_a_file
. "$(dirname "$0")/../behaviour.sh"
mkdir -p in/src in/out; loop_source > in/src/a.cc; loop_source | sed 's/sum/other/' > in/src/b.cc; echo 'int three(void) { return 3; }' > in/src/c.c
echo 'int main() {}' > in/m.cc; echo 'int broken(' > in/bad.cc
twins -p <<'LINES'
cc -O3 -c src/a.cc src/b.cc
cd out && cc -O3 -MD -c ../src/a.cc ../src/b.cc
cc -O3 -c src/a.cc src/b.cc -o x.o
cc -O3 -c bad.cc src/a.cc
cc -O3 -c src/a.cc bad.cc
cc -O3 -c src/a.cc -x c src/c.c
cc -O3 -S src/a.cc src/b.cc
cc -O3 -c src/a.cc nosuch.o
cc -O3 -c src/a.cc src/a.cc
cc -O3 -c src/a.cc ''
LINES
both -n 'cc -O3 m.cc src/a.cc src/b.cc -o prog && ./prog'
both -n 'cc -O3 m.cc -x c src/c.c -x none && ./a.out'
both -t 'cc -O3 -c m.cc src/a.cc 2>/dev/null; rm -f a.o m.o; cc -O3 -c src/a.cc -o out/a.o; ar rc out/l.a out/a.o; rm out/l.a; cc -O3 -c m.cc'
exit $bad
