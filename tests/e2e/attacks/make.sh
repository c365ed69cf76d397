# make.sh SOURCE CC: the candidate's program is another one than the baseline's, and its build may
# attack, too. Run in the build folder.
set -eu
source=$1 cc=$2
compile() { # OUTPUT OPTIONS...
  output=$1
  shift
  "$cc" -O3 "$@" -c "$source/attack.c" -o "$output.o"
  "$cc" "$output.o" -o "$output"
}
attack=$(cat "$source/attack")
case $attack in put*) writes=-DWRITES ;; *) writes=-DWRITES_NOTHING ;; esac
if [ -z "${HONE_POLICY:-}" ] && [ "$attack" = unsteady ]; then
  compile attack -DATTACK_unsteady
elif [ -z "${HONE_POLICY:-}" ]; then
  compile attack -DATTACK_none "$writes"
elif [ "$attack" = build ]; then
  compile attack -DCANDIDATE -DATTACK_honest
  for kind in reads sockets ptraces; do
    compile "attack-$kind" -DCANDIDATE "-DATTACK_$kind"
    code=0
    "./attack-$kind" "$source/facts.txt" || code=$?
    [ $code = 7 ] || { echo "ESCAPED: $kind in a build: exit code $code" >&2; exit 1; }
  done
  compile attack-outlives -DCANDIDATE -DATTACK_outlives
  ./attack-outlives > /dev/null
else
  case $attack in
    symlink | shared | fifo | sparse | deep | fill | names) kind=honest ;;
    *) kind=$attack ;;
  esac
  compile attack -DCANDIDATE "-DATTACK_$kind" "$writes"
fi
[ -n "${HONE_POLICY:-}" ] || exit 0
case $attack in # what a candidate's build leaves behind for the worker, who is root
  symlink) ln -sf /etc/shadow attack ;;
  fifo) rm attack && mkfifo attack ;;
  sparse) truncate -s 3G attack ;;
  shared) # a program that is not the build's own
    ln -sf ../build-base/attack attack ;;
  deep) (i=0 && while [ $i -lt 1500 ]; do mkdir d && cd d && i=$((i + 1)); done) ;;
  fill) for i in 0 1 2 3 4 5 6 7 8 9; do head -c 1G /dev/zero > "$HOME/fat-$i"; done ;;
  names)
    touch -- "$(printf 'line\nbreak.o')" "$(printf '\033[31m\377')" --help '-rf' ' ' "$(printf '%0255d' 0)"
    chmod 0 -- --help
    mkdir closed && touch closed/file && chmod 0 closed ;;
esac
