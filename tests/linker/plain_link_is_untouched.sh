#!/usr/bin/env bash
# The plain link is the compiler's own, with and without copies behind it: the same file, messages
# and end; what is no link of the program is exec'd. A link that fails fails alike and leaves no
# copies.
. "$(dirname "$0")/support.sh"
product p
for i in first second third order main; do clang++-19 -O2 -c p/$i.cc -o p/$i.o || exit 1; done
objects='p/main.o p/first.o p/second.o p/third.o p/order.o'
asked() { HONE_LINK_PROGRAM=app HONE_LINK_COPIES=3 "$@"; }

mkdir plain launched
for compiler in clang++-19 g++; do
  # shellcheck disable=SC2086
  {
    cap plain/ok $compiler $objects -o app -Wl,--build-id -v
    mv app plain/app
    cap launched/ok asked "$L" $compiler $objects -o app -Wl,--build-id -v
    mv app launched/app
    cmp plain/app launched/app || no "$compiler: another binary"
    [ "$(counted app)" = 3 ] || no "$compiler: no copies: $(note app)"

    cap plain/fails $compiler p/main.o p/first.o -o app
    cap launched/fails asked "$L" $compiler p/main.o p/first.o -o app
    cap plain/odd $compiler p/main.o 'no such file.o' -o 'app' -Wl,--no-such-option
    cap launched/odd asked "$L" $compiler p/main.o 'no such file.o' -o 'app' -Wl,--no-such-option
    cap plain/none $compiler
    cap launched/none asked "$L" $compiler
    cap plain/version $compiler --version
    cap launched/version asked "$L" $compiler --version
  }
  for run in ok fails odd none version; do
    for part in rc out err; do
      # Names of temporary files are others every time.
      sed -E 's#/tmp/[A-Za-z0-9_.-]+#/tmp/X#g' plain/$run.$part > plain.text
      sed -E 's#/tmp/[A-Za-z0-9_.-]+#/tmp/X#g' launched/$run.$part > launched.text
      cmp -s plain.text launched.text || no "$compiler, $run: $part: $(diff plain.text launched.text | head -5)"
    done
  done
  [ "$(cat plain/fails.rc)" != 0 ] || no "$compiler: the failing link does not fail"
  [ "$(copies app)" = 0 ] && [ "$(counted app)" = 0 ] || no "$compiler: copies of a link that failed"
  rm -f app*
done

# A compile is the compiler's own process, with nothing of ours about it.
printf '#!/bin/sh\nprintf "%%s|" "$@" > arguments\nenv > environment\necho $$ > process\nkill -"$SIGNAL" $$\n' > fake
chmod +x fake
export SIGNAL=0
(exec env HONE_LINK_PROGRAM=app HONE_LINK_COPIES=3 "$L" ./fake -c 'a b.c' '' $'odd\nbytes\xff' -o a.o) &
launcher=$!
wait $launcher
[ "$(cat process)" = $launcher ] || no "a compile is a process of its own"
[ "$(cat arguments)" = "$(printf '%s|' -c 'a b.c' '' $'odd\nbytes\xff' -o a.o)" ] || no "arguments: $(cat arguments)"
grep -q '^HONE_LINK_PROGRAM=app' environment || no "a compile lacks a variable"

# Deaths and missing programs.
for signal in SEGV TERM; do
  SIGNAL=$signal
  ./fake p/main.o -o app; plain=$?
  asked "$L" ./fake p/main.o -o app; launched=$?
  [ $plain = $launched ] && [ $plain -gt 128 ] || no "death by $signal: $launched, plain $plain"
done
SIGNAL=0
asked "$L" ./no-such-compiler p/main.o -o app 2> err; [ $? = 127 ] || no "a compiler that is missing: $?"
grep -q 'no-such-compiler' err || no "a compiler that is missing is not named: $(cat err)"
"$L" > /dev/null 2>&1; [ $? = 2 ] || no "no command: $?"

# A signal that ends the build ends the link: passed on at once, nothing half made.
printf '#!/bin/sh\ntrap "echo told > told; exit 3" TERM\necho > started\nwhile :; do sleep 0.05; done\n' > slow
chmod +x slow
(exec env HONE_LINK_PROGRAM=app HONE_LINK_COPIES=3 "$L" ./slow p/main.o -o app) &
launcher=$!
for _ in $(seq 200); do [ ! -e started ] || break; sleep 0.05; done
kill -TERM $launcher
for _ in $(seq 200); do [ ! -e told ] || break; sleep 0.05; done
[ -e told ] || { no "the signal was not passed on"; kill -KILL $launcher; }
wait $launcher; [ $? = 3 ] || no "the signal's end is not the compiler's"
[ "$(copies app)" = 0 ] || no "copies after a signal"
exit $bad
