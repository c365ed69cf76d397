#!/usr/bin/env bash
# Blanks, quotes, shell signs, line ends and bytes that are no text, in every argument; commands of 400 kB.
# fails with: splits_words skips_empty_arguments uses_a_shell_string
. "$(dirname "$0")/../behaviour.sh"
mkdir in
names=('a b' "a'b" 'a"b' 'a$HOME' 'a`date`' 'a\b' 'a;b' 'a&b' 'a*' 'a?b' '~a' 'a#b' 'a%b' $'a\nb' $'a\tb' $'a\xffb' $'\xc3\xa4' '{a,b}' 'a=b' 'a,b' 'a(b)' '!a' '[a]' 'a|b' '<a>' '@a')
i=0
for n in "${names[@]}"; do
  # GCC's share is small: how words are handed on does not depend on the compiler.
  C=$CLANG; [ $((i++ % 6)) != 5 ] || C=$GXX
  loop_source > "in/$n.cc"; export N="$n"; twin -t 'cc -O3 -MD -c "./$N.cc" -o "$N.o"'; rm "in/$n.cc"
done
echo 'const char* s = S; int f(int n) { int s = 0; for (int i = 0; i < n; ++i) s += i; return s; }' > in/a.cc
for s in 'two words' "it's" 'tab	tab' '$HOME' '`date`' '*' 'ä' 'a;b' '%s%n' '\n'; do export S="\"$s\""; both -t 'cc -O3 "-DS=$S" -c a.cc -o a.o && objcopy -O binary --only-section=.rodata.str1.1 a.o text.bin'; done
export S=
both 'cc -O3 -DS=0 "" -c a.cc'
both -t 'cc -O3 -DS=0 -DEMPTY= -D "B=1 2" -I "" -c a.cc'
both -t 'cc -O3 -DS=0 -D"F(x)=(x) + 1" "-DG=f(1)" -c a.cc'
# 400 kB in one call, in many arguments and in a few long ones.
many=(); for ((i = 0; i < 9000; ++i)); do many+=("-DTHE_NAME_OF_MACRO_NUMBER_$i=the_value_of_$i"); done
printf -v long '%*s' 100000 ''; long=${long// /x}
# Where the set-ups have a cc1plus of their own, GCC names that.
nameless() { case $SETUP in crash | hang) sed -i 's#[^ ]*/cc1plus[^ :]*#cc1plus#' "$@" ;; esac; }
for cc in "$CLANG" "$GXX"; do
  # GCC itself gives up on so many: it hands them on in one variable.
  cap p "$cc" -O3 -DS=0 "${many[@]}" -c in/a.cc -o p.o; cap q l "$cc" -O3 -DS=0 "${many[@]}" -c in/a.cc -o q.o
  nameless p.err q.err
  for k in rc out err; do same p.$k q.$k "${cc##*/}: 9000 arguments: $k"; done
  [ ! -e p.o ] || [ -s q.o ] || no "$cc: 9000 arguments: no object"
  long_ones=("-DS=\"$long\"" "-DB=$long" "-DC=$long" "-DD=$long")
  cap p "$cc" -O3 "${long_ones[@]}" -c in/a.cc -o p2.o; cap q l "$cc" -O3 "${long_ones[@]}" -c in/a.cc -o q2.o
  nameless p.err q.err
  for k in rc out err; do same p.$k q.$k "${cc##*/}: long arguments: $k"; done
  case $cc in *clang*) [ -e p.o ] && [ -e p2.o ] || no "test is wrong: clang takes no 400 kB" ;; esac
  [ ! -e p2.o ] || grep -qaE 'x{2000}' q2.o || no "$cc: a long argument is cut"
  rm -f p.o q.o p2.o q2.o
done
exit $bad
