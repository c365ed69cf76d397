# Sourced by the cases of hone-link. usage of a case: CASE.sh [HONE_LINK]
#   exit 0 = right, 1 = wrong (says what), 77 = cannot run here
#   $L      hone-link          $W      a fresh folder, the current one, gone at the end
#   product writes the sources of a program whose output tells the order of its initialisation
# CASE_FIRST_WRONG=1 ends at the first mistake.
set -u
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
L=$(realpath "${1:-$here/../../build/dev/bin/hone-link}") || exit 77
for program in "$L" clang-19 clang++-19 gcc g++ nm readelf; do
  command -v "$program" > /dev/null || { echo "SKIP: no $program"; exit 77; }
done
W=$(mktemp -d) || exit 77
trap 'cd /; chmod -R u+w "$W"; rm -rf "$W"' EXIT
cd "$W" || exit 77
unset HONE_LINK_PROGRAM HONE_LINK_COPIES HONE_LINK_SECONDS CC CXX CFLAGS CXXFLAGS LDFLAGS MAKEFLAGS
unset CMAKE_GENERATOR
bad=0
no() { printf 'WRONG: %s\n' "$*"; bad=1; [ -z "${CASE_FIRST_WRONG:-}" ] || exit 1; }
cap() { local n=$1; shift; "$@" > "$n.out" 2> "$n.err"; echo $? > "$n.rc"; }

# Objects first to third register themselves before main, in the order in which they are linked.
# Nobody calls unused(): --gc-sections may drop it.
product() { # FOLDER
  mkdir -p "$1"
  local i
  for i in first second third; do
    cat > "$1/$i.cc" <<S
#include "order.h"
static Registered registered("$i");
int $i(int n) { int s = n; for (int i = 0; i < n; ++i) s = s * 31 + (i ^ (s >> 7)); return s & 0xff; }
int unused_$i(int n) { return n / 3; }
static int table_$i[64];
int* data_$i() { return table_$i; }
S
  done
  cat > "$1/order.h" <<'S'
struct Registered { explicit Registered(const char* name); };
S
  cat > "$1/order.cc" <<'S'
#include "order.h"
#include <cstdio>
Registered::Registered(const char* name) { std::printf("%s ", name); }
S
  cat > "$1/main.cc" <<'S'
#include <cstdio>
int first(int), second(int), third(int);
int* data_first();
int main(int argc, char** argv) {
  const char* name = argv[0];
  for (const char* at = argv[0]; *at != 0; ++at) if (*at == '/') name = at + 1;
  std::printf("%d %s\n", first(argc) + second(2) + third(3) + *data_first(), argc > 1 ? name : "");
}
S
}
copies() { local all=("$1".hone-link-*); [ -e "${all[0]}" ] && echo "${#all[@]}" || echo 0; }
note() { sed -n 2p "$1.hone-links"; }
counted() { awk 'NR == 1 {print $3}' "$1.hone-links"; }
address() { nm "$1" | awk -v name="$2" '$3 == name {print $1}'; }
