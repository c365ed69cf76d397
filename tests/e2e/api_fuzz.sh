#!/usr/bin/env bash
# Fuzzes the API of a real honed, from its own OpenAPI document and by sequences of calls:
#
#   tests/e2e/api_fuzz.sh [EXAMPLES [SEED]]     EXAMPLES: of each operation and pass [10]; SEED: [1]
#
# First tests/e2e/api_fuzz/sequences.py (tests/e2e/api_sequences.sh runs it alone), then schemathesis in three passes:
# an admin with ids made up, an admin with ids of things that are there, a viewer. No 5xx (but 503 with Retry-After),
# no status, type or shape of an answer that the document does not name, no wrong input taken, nothing without a
# token. Streams without end and WebSockets are left to other tests, and DELETE of tokens, which would find the
# fuzzer's own. Prints the number of calls last; exit 1 if anything was found, 77 where PyPI does not give
# schemathesis (HONE_API_FUZZ_VENV names a folder that keeps it).
. "$(dirname "${BASH_SOURCE[0]}")/../support/world.sh"
skip() { echo "SKIPPED: $*"; exit 77; }
examples=${1:-10} seed=${2:-1}
[[ $examples =~ ^[1-9][0-9]*$ && $seed =~ ^[0-9]+$ && $# -le 2 ]] || { sed -n '2,/^\. /s/^# \{0,1\}//p' "$0" >&2; exit 2; }
venv=${HONE_API_FUZZ_VENV:-$W/venv}
[ -x "$venv/bin/python" ] || python3 -m venv "$venv" > "$W/venv.log" 2>&1 ||
  skip "python3 makes no virtual environment: $(tail -1 "$W/venv.log")"
"$venv/bin/python" -m pip install -q 'schemathesis>=4,<5' 'jsonschema>=4,<5' > "$W/pip.log" 2>&1 ||
  skip "PyPI does not give schemathesis: $(grep -m1 "^ *ERROR" "$W/pip.log" || tail -1 "$W/pip.log")"
here=$ROOT/tests/e2e/api_fuzz

# As an unprivileged coordinator alone: no worker takes what is submitted.
honed_up --lease-seconds 2
"$venv/bin/python" "$here/sequences.py" "$HONE_URL" "$HONE_TOKEN_FILE" 20 "$seed" > "$W/sequences.out" 2>&1 ||
  no "sequences: $(tail -5 "$W/sequences.out")"
calls=$(sed -n 's/^calls without a finding: //p' "$W/sequences.out")
"$venv/bin/python" "$here/prepare.py" "$HONE_URL" "$HONE_TOKEN_FILE" "$W" > "$W/prepare.out" 2>&1 ||
  { no "preparing: $(tail -5 "$W/prepare.out")"; finish; }

# pass NAME TOKEN CONFIG OPTIONS...
pass() {
  local name=$1 token=$2 config=$3
  shift 3
  (cd "$W" && timeout 3000 "$venv/bin/st" --config-file "$config" run "$W/openapi.json" --url "$HONE_URL" -H "Authorization: Bearer $(cat "$W/$token.token")" \
    --exclude-path-regex '(/events|/socket|^/v1/tokens/.*)$' --exclude-checks positive_data_acceptance \
    --max-examples "$examples" --seed "$seed" --continue-on-failure --no-shrink --request-timeout 70 --warnings off "$@") \
    > "$W/$name.out" 2>&1 || no "$name: $(sed -n '/FAILURES/,$p' "$W/$name.out" | head -c 20000)"
  local made
  made=$(sed -n 's/^ *\([0-9]*\) generated.*/\1/p' "$W/$name.out" | tail -1)
  printf '%-10s %6s calls\n' "$name" "${made:-0}"
  [ "${made:-0}" -gt 100 ] || no "$name made ${made:-0} calls only: $(tail -20 "$W/$name.out")"
  calls=$((${calls:-0} + ${made:-0}))
}
pass made-up admin none.toml --phases coverage,fuzzing
pass known admin known.toml --phases fuzzing,stateful
pass viewer viewer known.toml --phases fuzzing
honed_down
grep '"event":"request"' "$W/honed.log" | grep -v '"status":503' | grep '"status":5' | head -5 > "$W/failed"
[ ! -s "$W/failed" ] || no "honed logs failures of its own: $(cat "$W/failed")"
[ $wrong = 0 ] && echo "calls without a finding: $calls"
finish
