#!/usr/bin/env bash
# Completion of the real programs in a real bash, as Tab does it: the installed way (a file) for each, and
# names of targets asked of a coordinator.
. "$(dirname "${BASH_SOURCE[0]}")/../support/world.sh"

# offered WANTED WORD...: what bash offers for the last word holds WANTED, a word of its own.
offered() {
  local wanted=$1
  shift
  local program=${1##*/}
  local function=_${program//-/_}_complete
  bash --norc --noprofile -c '
    set -u
    . "$1"
    function=$2
    shift 2
    COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
    "$function"
    printf "%s\n" "${COMPREPLY[@]}"' bash "$W/$program.bash" "$function" "$@" > "$W/offered" 2> "$W/offered.err" ||
    no "$*: $(cat "$W/offered.err")"
  grep -qxF -e "$wanted" "$W/offered" || no "$*: no '$wanted' in: $(tr '\n' ' ' < "$W/offered")$(cat "$W/offered.err")"
}

"$BIN/hone" completion bash > "$W/hone.bash" || no "hone completion bash: $?"
for program in honed hone-worker hone-learner; do
  [ -x "$BIN/$program" ] || continue
  "$BIN/$program" --bash-completion > "$W/$program.bash" || no "$program --bash-completion: $?"
  bash --norc --noprofile -n "$W/$program.bash" || no "$program: bash cannot read its completion"
done
offered job hone ''
offered completion hone comp
offered --format hone report --f
offered junit hone report --format j
offered --url hone report --u
offered submitter hone token create x --role s
offered leased hone job list --state l
offered race hone job submit x --stage r
offered racing hone campaign list --state r
offered drain hone worker d
offered --target hone job list --target=x --t
offered --exit-when-idle hone-worker --exit
offered debug hone-worker --log-level d
offered debug honed --log-level de
[ ! -e "$W/hone-learner.bash" ] || offered propose hone-learner pro
! grep -q 'values' <(cd "$W" && offered job hone ''; cat "$W/offered") || no "a hidden command is offered"

world_up --no-worker
mkdir "$W/product"
printf 'name: tiny\nbuild:\n  commands: [["true"]]\n  binaries: [tiny]\nbenchmark:\n  command: ["{build}/tiny"]\n' > "$W/product/hone.yaml"
"$BIN/hone" target add "$W/product" > "$W/add" 2>&1 || no "target add: $(cat "$W/add")"
offered tiny "$BIN/hone" job submit t
offered tiny "$BIN/hone" policy pull ''
offered tiny "$BIN/hone" job list --target ''
job=$("$BIN/hone" job submit tiny --knob unroll-count=2) || no "job submit"
offered "$job" "$BIN/hone" job show "${job:0:4}"
"$BIN/hone" job cancel "$job" > /dev/null
offered admin "$BIN/hone" token revoke a
"$BIN/hone" policy keygen "$W/key" > /dev/null && "$BIN/hone" policy key add signer --public-key "$W/key.pub" > /dev/null ||
  no "key add"
offered signer "$BIN/hone" policy key retire s
world_down
# Without a coordinator there is nothing to offer, and nothing is said.
offered '' "$BIN/hone" job show ''
[ ! -s "$W/offered.err" ] || no "a coordinator that is away is told while somebody types: $(cat "$W/offered.err")"
finish
