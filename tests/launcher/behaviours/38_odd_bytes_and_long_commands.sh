#!/usr/bin/env bash
# Blanks, quotes, shell signs, line ends and bytes that are no text, in every argument; commands of 400 kB.
# fails with: splits_words skips_empty_arguments uses_a_shell_string
. "$(dirname "$0")/../behaviour.sh"
mkdir in
names=('a b' "a'b" 'a"b' 'a$HOME' 'a`date`' 'a\b' 'a;b' 'a&b' 'a*' 'a?b' '~a' 'a#b' 'a%b' $'a\nb' $'a\tb' $'a\xffb' $'\xc3\xa4' '{a,b}' 'a=b' 'a,b' 'a(b)' '!a' '[a]' 'a|b' '<a>' '@a')
for n in "${names[@]}"; do loop_source > "in/$n.cc"; export N="$n"; both -t 'cc -O3 -MD -c "./$N.cc" -o "$N.o"'; rm "in/$n.cc"; done
echo 'const char* s = S; int f(int n) { int s = 0; for (int i = 0; i < n; ++i) s += i; return s; }' > in/a.cc
for s in 'two words' "it's" 'tab	tab' '$HOME' '`date`' '*' 'ä' 'a;b' '%s%n' '\n'; do export S="\"$s\""; both -t 'cc -O3 "-DS=$S" -c a.cc -o a.o && strings -a a.o | grep -cF -- "$(printf "${S//\"/}" 2>/dev/null | head -c 3)"'; done
export S=
both 'cc -O3 -DS=0 "" -c a.cc'
both -t 'cc -O3 -DS=0 -DEMPTY= -D "B=1 2" -I "" -c a.cc'
both -t 'cc -O3 -DS=0 -D"F(x)=(x) + 1" "-DG=f(1)" -c a.cc'
# 400 kB in one call, in many arguments and in a few long ones.
many=(); for ((i = 0; i < 9000; ++i)); do many+=("-DTHE_NAME_OF_MACRO_NUMBER_$i=the_value_of_$i"); done
printf -v long '%*s' 100000 ''; long=${long// /x}
for cc in "$CLANG" "$GXX"; do
  "$cc" -O3 -DS=0 "${many[@]}" -c in/a.cc -o p.o; cap q l "$cc" -O3 -DS=0 "${many[@]}" -c in/a.cc -o q.o; [ "$(cat q.rc)" = 0 ] && [ -s q.o ] || no "$cc: 9000 arguments: $(head -c 200 q.err)"
  is_tuned_here "$cc" || same p.o q.o "$cc: 9000 arguments"
  cap q l "$cc" -O3 "-DS=\"$long\"" "-DB=$long" "-DC=$long" "-DD=$long" -c in/a.cc -o q.o; [ "$(cat q.rc)" = 0 ] && grep -qa "$(printf 'x%.0s' {1..2000})" q.o || no "$cc: long arguments: $(head -c 200 q.err)"
done
exit $bad
