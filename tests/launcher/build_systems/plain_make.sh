#!/usr/bin/env bash
# Plain make: hone-cc in CXX; with a decision file per source as a prerequisite a new policy
# rebuilds exactly the objects whose decision changed, and a source whose rule is gone becomes plain.
. "$(dirname "$0")/project.sh"
needs make
product p
cat > p/Makefile <<'S'
CFLAGS = -O3
CXXFLAGS = -O3
program: main.o b.o a.o
	$(CXX) $^ -o $@
%.o: src/%.cc decisions/src/%.cc.hone
	$(CXX) $(CXXFLAGS) -c $< -o $@
%.o: src/%.c decisions/src/%.c.hone
	$(CC) $(CFLAGS) -c $< -o $@
S
printf 'src/a.c\nsrc/b.cc\nsrc/main.cc\n' > sources
new_policy() {
  use "$@"
  "$HONE" policy compile "$W/policy.json" --unsigned -o "$W/policy.idx" --per-source p/decisions --sources sources > compile.log 2>&1 \
    || no "decisions: $(cat compile.log)"
}
export HONE_POLICY=$W/policy.idx HONE_ROOT=$W/p HONE_STATE_DIR=$W/state
log=$W/state/compiles.ndjson
lines=0
check() { # WHAT SOURCES...
  local what=$1 got; shift
  make -C p CC="$L $CLANGC" CXX="$L $CLANG" > build.log 2>&1 || no "$what: $(tail -5 build.log)"
  got=$(sources_since "$log" $lines)
  [ "$got" = "${*:+$* }" ] || no "$what: compiled ${got:-nothing}, want ${*:-nothing}"
  lines=$(wc -l < "$log")
  [ "$(p/program)" = "$expected" ] || no "$what: result $(p/program)"
}
new_policy "$(rule src/a.c)"; check first src/a.c src/b.cc src/main.cc
[ "$(compiles "$log" '"compiled":"tuned"')" = 1 ] || no "first: $(cat "$log")"
check 'nothing new'
new_policy "$(rule src/a.c)" "$(rule '*' 'function(gvn)')"; check 'a rule for the rest' src/b.cc src/main.cc
new_policy "$(rule src/a.c)" "$(rule '*' 'function(sroa)')"; check 'another rule for the rest' src/b.cc src/main.cc
[ "$(compiles "$log" '"compiled":"tuned"')" = 5 ] || no "tuned: $(cat "$log")"
# b.cc is no longer listed: its file stays, plain.
printf 'src/a.c\nsrc/main.cc\n' > sources
new_policy "$(rule src/main.cc 'function(sroa)')"; check 'rules that are gone' src/a.c src/b.cc
tail -n 2 "$log" | grep -q '"compiled":"tuned"' && no "tuned without a rule: $(tail -n 2 "$log")"
# One decision file serves as the policy of its source, too.
HONE_POLICY=$W/p/decisions/src/main.cc.hone "$L" "$CLANG" -O3 -c p/src/main.cc -o one.o || no "one decision file"
logged '"compiled":"tuned"' "one decision file"
exit $bad
