#!/usr/bin/env bash
# The observation Ir2vec against IR2Vec's own package (PyPI, ir2vec 2.1.1, which holds its vocabulary and
# its library): the same numbers for a program that both can read. Skipped where PyPI is not to be had.
. "$(dirname "${BASH_SOURCE[0]}")/../support/world.sh"
skip() { echo "SKIPPED: $*" >&2; exit 77; }
command -v clang-16 > /dev/null || skip "no clang-16"
python=
for candidate in python3.11 python3; do
  "$candidate" -c 'import sys, pip; sys.exit(sys.version_info[:2] != (3, 11))' 2> /dev/null && python=$candidate && break
done
[ -n "$python" ] || skip "no Python 3.11 with pip, which the package is built for"
"$python" -m pip -q download --no-deps --dest "$W" ir2vec==2.1.1 > "$W/pip.log" 2>&1 || skip "no ir2vec from PyPI: $(tail -1 "$W/pip.log")"
"$python" -m zipfile -e "$W"/IR2Vec-*.whl "$W/package" || no "the package does not unpack"

cat > "$W/mix.c" <<'C'
struct pair { int left; double right; };
int outer(int, double);
int mix(struct pair* p, const int* a, int n, float f) {
  int s = 0;
  for (int i = 0; i < n; ++i) s += a[i] > 3 ? outer(a[i], p->right) : (int)(f * a[i]);
  switch (n) { case 1: return s ^ 5; case 7: return s / 3; default: p->left = s; }
  return -s;
}
C
clang-16 -O1 -Xclang -disable-llvm-passes -S -emit-llvm "$W/mix.c" -o "$W/mix.ll" || no "clang-16"
(cd "$W/package" && "$python" - "$W/mix.ll" > "$W/theirs.json") <<'PYTHON' || no "IR2Vec failed"
import json, sys
sys.path.insert(0, ".")
import ir2vec
embedding = ir2vec.initEmbedding(sys.argv[1], "sym", "p")
print(json.dumps(ir2vec.getProgramVector(embedding)))
PYTHON
HONE_IR2VEC="$W/package/ir2vec/seedEmbeddingVocab.txt" "$BIN/hone" env run "$W/mix.ll" --observe Ir2vec --json > "$W/ours.json" ||
  no "hone env run --observe Ir2vec failed"
"$python" - "$W/theirs.json" "$W/ours.json" <<'PYTHON' || no "IR2Vec has other numbers"
import json, sys
theirs = json.load(open(sys.argv[1]))
ours = json.load(open(sys.argv[2]))["observations"]["Ir2vec"]
print(len(theirs), "numbers; the largest:", max(map(abs, theirs)))
worst = max(abs(a - b) for a, b in zip(theirs, ours, strict=True))
print("largest difference:", worst)
# Its weights are single precision.
sys.exit(worst > 1e-5 * max(map(abs, theirs)))
PYTHON
# Without a vocabulary it says what is missing.
"$BIN/hone" env run "$W/mix.ll" --observe Ir2vec > /dev/null 2> "$W/none.err" && no "Ir2vec without a vocabulary"
grep -q HONE_IR2VEC "$W/none.err" || no "nothing is said of HONE_IR2VEC: $(cat "$W/none.err")"
HONE_IR2VEC=/etc/passwd "$BIN/hone" env run "$W/mix.ll" > /dev/null 2> "$W/bad.err" && no "a vocabulary that is none"
echo "ir2vec: agrees"
