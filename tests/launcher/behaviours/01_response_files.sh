#!/usr/bin/env bash
# Response files of every kind say what they say to the plain compiler; odd ones are the compiler's
# to complain about.
# fails with: rewrites_response_files drops_argument
. "$(dirname "$0")/../behaviour.sh"
mkdir -p in/'d ir' in/folder
echo 'int NAME(int n) { int s = 0; for (int i = 0; i < n; ++i) s += i * VALUE; return s; } const char* text = TEXT;' > in/a.cc
echo '#define FROM_HEADER 1' > 'in/d ir/h.h'
cd in
cat > quotes <<'E'
-DNAME=f "-DVALUE=(1 + 2)"
'-DTEXT="it\'s"'
"-Id ir" -include h.h
E
printf '%s\r\n' '-DNAME=f' '-DVALUE=3' '-DTEXT=\"crlf\"' > crlf
printf -- '-DNAME=f\t-DVALUE=3   \n\n  -DTEXT=\\"tabs\\ and\\ blanks\\"' > blanks
printf '\xef\xbb\xbf-DNAME=f -DVALUE=3 -DTEXT=NULLTEXT -DNULLTEXT=0' > bom
printf '\xff\xfe-\0D\0N\0A\0M\0E\0=\0f\0 \0-\0D\0V\0A\0L\0U\0E\0=\0003\0 \0-\0D\0T\0E\0X\0T\0=\0000\0' > utf16
printf -- '-DNAME=f\f-DVALUE=3\v-DTEXT=0' > formfeed
printf '@quotes @level -c a.cc -o out.o' > all; printf -- '-O0\n-O3\n' > level
printf '@nested2' > nested1; printf '@nested3' > nested2; printf '@quotes' > nested3
printf '@loop -O3' > loop
printf -- '-DNAME=f -DVALUE=3 "-DTEXT=0' > open_quote
printf -- '-DNAME=f -DVALUE=3 -DTEXT=0 \\' > backslash
: > empty; printf ' \n\t' > only_blanks; printf '""' > empty_argument
printf -- '-DNAME=f -DVALUE=3 -DTEXT=\\"\xc3\xa4\xe9\\"' > bytes
printf -- '-DNAME=f\0-DVALUE=3\0-DTEXT=0' > nul
printf -- '# -DNAME=f\n-DNAME=f -DVALUE=3 -DTEXT=0' > comment
cp quotes 'name with blanks'; cp quotes '"quoted"'; ln -s quotes link; cp quotes @at
cd ..
twins -t <<'LINES'
cc @quotes -O3 -c a.cc -o out.o
cc @all
cc -O0 @all
cc @nested1 -O3 -c a.cc -o out.o
cc @crlf -O3 -c a.cc -o out.o
cc @blanks -O3 -c a.cc -o out.o
cc @empty @only_blanks @bytes @level -c a.cc -o out.o
cc "@name with blanks" -O3 -c a.cc -o out.o
cc '@"quoted"' -O3 -c a.cc -o out.o
cc @link -O3 -c a.cc -o out.o
cc @@at -O3 -c a.cc -o out.o
cc "@$PWD/quotes" -O3 -c a.cc -o out.o
LINES
twins <<'LINES'
cc @bom -O3 -c a.cc -o out.o
cc @utf16 -O3 -c a.cc -o out.o
cc @formfeed -O3 -c a.cc -o out.o
cc @nul -O3 -c a.cc -o out.o
cc @open_quote -O3 -c a.cc -o out.o
cc @backslash -O3 -c a.cc -o out.o
cc @quotes @empty_argument -O3 -c a.cc -o out.o
cc @comment -O3 -c a.cc -o out.o
cc @loop -c a.cc -o out.o
cc @missing -O3 -c a.cc -o out.o
cc @quotes @missing/too -O3 -c a.cc -o out.o
cc @folder -O3 -c a.cc -o out.o
cc @quotes @ -O3 -c a.cc -o out.o
cc -O3 -c a.cc -o out.o @<(printf -- '-DNAME=f -DVALUE=4 -DTEXT=0')
printf -- '-DNAME=f -DVALUE=4 -DTEXT=0' | cc -O3 -c a.cc -o out.o @/dev/stdin
chmod 000 quotes; cc @quotes -O3 -c a.cc -o out.o; r=$?; chmod 644 quotes; (exit $r)
LINES
# Within one @file a value may stand apart from its option.
printf -- '-I' > in/half1; printf '%s' '"d ir"' > in/half2
both -t 'cc -O3 @half1 @half2 -include h.h -DNAME=f -DVALUE=1 -DTEXT=0 -c a.cc -o out.o'
both -p 'cc -O3 -DNAME=f -DVALUE=1 -DTEXT=0 @mode -c a.cc -o out.o; printf -- -E > mode; cc -O3 -DNAME=f -DVALUE=1 -DTEXT=0 -c a.cc @mode'
exit $bad
