#!/usr/bin/env bash
# Where padding could do harm, or a copy fails, there are no copies, the note says why, and the build
# goes on as if nothing were; those of an earlier link are gone.
. "$(dirname "$0")/support.sh"
product p
for i in first second third order main; do clang++-19 -O2 -c p/$i.cc -o p/$i.o || exit 1; done
objects=(p/main.o p/first.o p/second.o p/third.o p/order.o)
export HONE_LINK_PROGRAM=app HONE_LINK_COPIES=3
expected=$(clang++-19 "${objects[@]}" -o plain && ./plain)

# none WHY COMMAND...: links as plain does, without copies, for that reason.
none() {
  local why=$1
  shift
  "$L" clang++-19 "${objects[@]}" -o app > /dev/null 2>&1
  [ "$(copies app)" = 3 ] || no "$why: there were no copies before"
  cap none "$L" "$@"
  [ "$(cat none.rc)" = 0 ] || no "$why: the build fails: $(head -3 none.err)"
  [ "$(copies app)" = 0 ] && [ "$(counted app)" = 0 ] || no "$why: $(copies app) copies"
  note app | grep -q -e "$why" || no "$why: the note says '$(note app)'"
  [ "$(./app)" = "$expected" ] || no "$why: the program prints '$(./app)'"
}
clang++-19 -Wl,--verbose 2> /dev/null | sed '1,/^===/d; /^===/,$d' > script.ld
none "'-T'" clang++-19 "${objects[@]}" -o app -Wl,-T,script.ld
none 'neither an object' clang++-19 -O2 p/main.cc "${objects[@]:1}" -o app
none 'Ttext-segment' clang++-19 -no-pie "${objects[@]}" -o app -Wl,-Ttext-segment=0x600000
printf '#!/bin/sh\nrm -f app\nln -s elsewhere app\nexec clang++-19 %s -o elsewhere\n' "${objects[*]}" > link
chmod +x link
none 'no file of its own' ./link p/main.o -o app
rm -f app

# A compiler that fails, hangs, or makes the same file again where its output is a copy.
wrapper() { printf '#!/bin/sh\ncase "$*" in *app.hone-link-2*) %s;; esac\nexec clang++-19 "$@"\n' "$1" > wrapper; chmod +x wrapper; }
partly() { # WHY ACTION
  wrapper "$2"
  "$L" ./wrapper "${objects[@]}" -o app || no "$1: the build fails"
  [ "$(copies app)" = 1 ] && [ "$(counted app)" = 1 ] || no "$1: $(copies app) copies: $(ls)"
  note app | grep -q -e "$1" || no "$1: the note says '$(note app)'"
  [ "$(./app.hone-link-1)" = "$expected" ] || no "$1: the copy prints '$(./app.hone-link-1)'"
}
partly 'exit code 1' 'echo half > app.hone-link-2; exit 1'
partly 'signal 9' 'kill -9 $$'
partly 'same file' 'cp app app.hone-link-2; exit 0'
started=$SECONDS
HONE_LINK_SECONDS=2 partly 'time limit' 'echo half > app.hone-link-2; sleep 600'
[ $((SECONDS - started)) -lt 60 ] || no "a copy that hangs holds the build up"
pgrep -f "$W/wrapper" > /dev/null && no "a copy's link goes on"

# No time at all for a link that takes longer than all copies together may.
printf '#!/bin/sh\nsleep 1.2\nexec clang++-19 "$@"\n' > slow; chmod +x slow
HONE_LINK_SECONDS=1 "$L" ./slow "${objects[@]}" -o app
[ "$(counted app)" = 0 ] && note app | grep -q 'too long' || no "a slow link: $(note app)"

# Nobody may write beside the program: no copies, no complaint. (root may.)
if [ "$(id -u)" != 0 ]; then
  mkdir shut; : > shut/app; chmod 755 shut/app; chmod 555 shut
  "$L" clang++-19 "${objects[@]}" -o shut/app 2> err || no "a folder that is shut: $(cat err)"
  [ ! -s err ] || no "a folder that is shut: $(cat err)"
  chmod 755 shut
fi
exit $bad
