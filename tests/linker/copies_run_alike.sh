#!/usr/bin/env bash
# The copies do what the program does, in the same order of initialisation, and have their code and
# data at other addresses, with every compiler, linker and kind of program there is here; unused
# sections may be dropped. Made again, they are the same files.
. "$(dirname "$0")/support.sh"
product p
mkdir ld
linkers='bfd gold'
for name in ld.lld-19 ld.lld; do
  if command -v $name > /dev/null; then ln -sf "$(command -v $name)" ld/ld.lld; linkers='bfd gold lld'; break; fi
done
[ -e ld/ld.lld ] || echo "NOT TESTED: lld is not installed"
command -v ld.gold > /dev/null || { echo "NOT TESTED: gold is not installed"; linkers=${linkers/gold/}; }
export HONE_LINK_COPIES=4

distinct() { tr ' ' '\n' <<< "$1" | grep . | sort -u | wc -l; }
check() { # WHAT COMPILER COMPILE-OPTIONS LINK-OPTIONS
  local what=$1 compiler=$2 i expected
  rm -rf b; mkdir b
  # shellcheck disable=SC2086
  for i in first second third order main; do
    $compiler -O2 $3 -c p/$i.cc -o b/$i.o || { no "$what: does not compile"; return; }
  done
  rm -f b/libthird.a
  ar rc b/libthird.a b/third.o 2> /dev/null  # it may not know bitcode
  # shellcheck disable=SC2086
  set -- "$compiler" $3 $4 b/main.o b/second.o b/first.o -Wl,--start-group b/libthird.a -Wl,--end-group b/order.o -o b/app
  "$@" > plain.log 2>&1 || { no "$what: does not link: $(head -3 plain.log)"; return; }
  mv b/app b/plain
  HONE_LINK_PROGRAM=app "$L" "$@" > launched.log 2>&1 || { no "$what: does not link launched"; return; }
  cmp -s b/plain b/app || no "$what: another plain binary"
  [ "$(counted b/app)" = 4 ] && [ "$(copies b/app)" = 4 ] || { no "$what: $(copies b/app) copies: $(note b/app)"; return; }
  expected=$(b/plain)
  # Link time optimisation may change the order, in the plain program as well.
  case $what$expected in *LTO* | *'second first third '*) ;; *) no "$what: unexpected order '$expected'" ;; esac
  local addresses distances data
  for i in b/app b/app.hone-link-*; do
    [ "$($i)" = "$expected" ] || no "$what: $i prints '$($i)', the program '$expected'"
    readelf -lW "$i" | grep -q 'GNU_STACK.*RWE' && no "$what: $i has an executable stack"
    addresses+="$(address "$i" _Z5firsti) "
    distances+="$((0x$(address "$i" _Z5firsti) - 0x$(address "$i" main))) "
    data+="$((0x$(address "$i" _ZL11table_first) % 4096)) "
  done
  [ "$(distinct "$addresses")" = 5 ] || no "$what: a function lies at $addresses"
  # lld puts what it optimised behind all objects, which moves it as one.
  case $what in
    *LTO*) ;;
    *)
      [ "$(distinct "$distances")" -ge 4 ] || no "$what: functions keep their distances: $distances"
      [ "$(distinct "$data")" -ge 4 ] || no "$what: data lie at $data within their pages"
      ;;
  esac
  (cd b && sha256sum app.hone-link-*) > first.sums
  HONE_LINK_PROGRAM=app "$L" "$@" > /dev/null 2>&1
  (cd b && sha256sum app.hone-link-*) | cmp -s - first.sums || no "$what: other copies the second time"
  case $what in *gc*) ! nm b/app.hone-link-1 | grep -q unused_first || no "$what: unused code is there" ;; esac
}
for linker in $linkers; do
  for compiler in clang++-19 g++; do
    check "$compiler $linker" $compiler '' "-B$W/ld -fuse-ld=$linker"
    check "$compiler $linker gc" $compiler '-ffunction-sections -fdata-sections' "-B$W/ld -fuse-ld=$linker -Wl,--gc-sections"
  done
  check "$linker fatal warnings" clang++-19 '' "-B$W/ld -fuse-ld=$linker -Wl,--fatal-warnings"
done
for compiler in clang++-19 g++; do
  check "$compiler static" $compiler '' -static
  check "$compiler without PIE" $compiler -fno-pie -no-pie
  check "$compiler static PIE" $compiler -fPIE -static-pie
  check "$compiler stripped of debug" $compiler -g -Wl,-S
done

# Properties that a program has only if all its inputs have them: start files that have them, too.
mkdir crt
echo 'int marked;' > marked.c
gcc -fcf-protection=full -c marked.c && objcopy -O binary --only-section=.note.gnu.property marked.o note
for file in Scrt1.o crti.o crtbeginS.o crtendS.o crtn.o; do
  objcopy --remove-section .note.gnu.property "$(gcc -print-file-name=$file)" crt/$file
  objcopy --add-section .note.gnu.property=note --set-section-flags .note.gnu.property=alloc,readonly,data \
    --set-section-alignment .note.gnu.property=8 crt/$file
done
check 'g++ branch protection' g++ -fcf-protection=full "-B$W/crt/"
for file in b/app b/app.hone-link-*; do
  readelf -nW $file | grep -q IBT || no "$file has lost its branch protection"
done
check 'g++ LTO' g++ -flto -flto
[ ! -e ld/ld.lld ] || check "clang++-19 ThinLTO" clang++-19 -flto=thin "-B$W/ld -fuse-ld=lld -flto=thin"
exit $bad
