#!/usr/bin/env bash
# Random sequences of calls by several tokens at once against a real honed, and what must hold of the answers:
#
#   tests/e2e/api_sequences.sh [SECONDS [SEED]]     [10, a new one each time]
#
# See tests/e2e/api_fuzz/sequences.py. Answers are held against the OpenAPI document where python3-jsonschema is
# there. Prints the number of calls last; exit 1 and the seed if anything was found.
. "$(dirname "${BASH_SOURCE[0]}")/../support/world.sh"
seconds=${1:-10} seed=${2:-$RANDOM$RANDOM}
[[ $seconds =~ ^[0-9]+$ && $seed =~ ^[0-9]+$ && $# -le 2 ]] || { sed -n '2,/^\. /s/^# \{0,1\}//p' "$0" >&2; exit 2; }
honed_up --lease-seconds 2
python3 "$ROOT/tests/e2e/api_fuzz/sequences.py" "$HONE_URL" "$HONE_TOKEN_FILE" "$seconds" "$seed" || no "seed $seed"
honed_down
finish
