#!/usr/bin/env bash
# A source on standard input is read whole and once; otherwise standard input is left alone.
# fails with: reads_stdin preprocesses_first compiles_twice
. "$(dirname "$0")/../behaviour.sh"
mkdir in; loop_source > in/a.cc; { loop_source; for i in $(seq 3000); do echo "int f_$i(int x) { return x * $i; }"; done; } > in/big.cc
twins -p <<'LINES'
cc -O3 -x c++ -c - -o a.o < a.cc
cat big.cc | cc -O3 -x c++ -c - -o a.o
cc -O3 -c -xc++ - < a.cc && ls
cat a.cc | cc -O3 -x c++ -c /dev/stdin -o a.o
cc -O3 -x c++ -c <(cat a.cc) -o a.o
mkfifo p.cc; cat a.cc > p.cc & cc -O3 -c p.cc -o a.o
echo '#define F f' > h; cat h | cc -O3 -include /dev/stdin -c a.cc -o a.o
echo 'int broken(' | cc -O3 -x c++ -c - -o a.o
cc -O3 -c - -o a.o < a.cc
LINES
# What is not ours stays in the pipe: the rest of a here-document, a loop's list.
both -t 'printf "one\ntwo\n" | { read -r x; cc -O3 -c a.cc -o a.o; cat; }'
both 'printf "1\n2\n" | while read -r n; do cc -O3 -DN=$n -c a.cc -o $n.o; echo $n; done'
both -t 'cc -O3 -c a.cc -o a.o <&-'
both 'cc -O3 -c a.cc -o a.o >&-'
both 'cc -O3 -c a.cc -o a.o <&- >&- 2>&-'
exit $bad
