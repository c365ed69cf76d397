#!/usr/bin/env bash
# Compiles that make a profile are the compiler's own, and GCC's that use one; clang's are tuned, and a
# changed profile changes the object.
# fails with: forces_decision drops_argument
. "$(dirname "$0")/../behaviour.sh"
profdata=$(command -v llvm-profdata-19) || { echo "SKIP: no llvm-profdata-19"; exit 77; }
mkdir in
cat > in/a.c <<'E'
int hot(int n) { int s = 0; for (int i = 0; i < n; ++i) { if (i % 7 == 3) s += i; else s -= 2 * i; } return s; }
int main(int argc, char** argv) { (void)argv; int s = 0; for (int i = 0; i < argc * 50; ++i) s += hot(i); return s == 12345; }
E
(cd in && "$CLANGC" -O3 -fprofile-instr-generate a.c -o a && LLVM_PROFILE_FILE=1.raw ./a; LLVM_PROFILE_FILE=2.raw ./a 1 2 3 4 5 6 7 8 9
 "$profdata" merge 1.raw -o 1.prof && "$profdata" merge 2.raw 2.raw -o 2.prof; rm -f a ./*.raw) || no "test is wrong"
C=$CLANGC
twin -t 'cc -O3 -fprofile-use=1.prof -c a.c'
twin -t 'cc -O3 -fprofile-instr-use=1.prof -c a.c'
twin -t 'cp 1.prof p; cc -O3 -fprofile-use=p -c a.c -o 1.o; cp 2.prof p; cc -O3 -fprofile-use=p -c a.c -o 2.o'
twin -p 'cc -O3 -fprofile-generate -c a.c'
twin -p 'cc -O3 -fcs-profile-generate -fprofile-use=1.prof -c a.c'
twin -p 'cc -O3 -fprofile-instr-generate -c a.c'
twin -p 'cc -O3 -fprofile-sample-use=nosuch.prof -c a.c'
twin -t 'echo -fprofile-use=1.prof > r; cc -O3 @r -c a.c'
twin -p 'cc -O3 -fmemory-profile -c a.c'
C=$GXX
twin -p 'cc -O3 -fprofile-generate -x c -c a.c -frandom-seed=1'
twin -p 'cc -O3 -fprofile-use -x c -c a.c -Wno-missing-profile'
twin -p 'cc -O3 -fbranch-probabilities -x c -c a.c -Wno-missing-profile -frandom-seed=1'
exit $bad
