#!/usr/bin/env bash
# -Xclang pairs reach the compiler proper as pairs; the user's own plugins run, and run alone.
# fails with: drops_argument reverses_options forces_decision
. "$(dirname "$0")/../behaviour.sh"
mkdir in; loop_source > in/a.cc; C=$CLANG
twins_clang() { while IFS= read -r line; do twin "$@" "$line"; done; }
twins_clang -t <<'LINES'
cc -O3 -Xclang -fno-pch-timestamp -c a.cc
cc -O3 -Xclang -mllvm -Xclang -unroll-count=3 -c a.cc
cc -O3 -Xclang -include -Xclang a.cc -DX -x c++ -c /dev/null -o a.o; cc -O3 -c a.cc
cc -O3 -Xpreprocessor -DX=3 -Wp,-DY=4 -c a.cc
LINES
twins_clang -p <<'LINES'
cc -O3 -Xclang -load -Xclang ./nosuch.so -c a.cc
cc -O3 -Xclang -plugin -Xclang nosuch -c a.cc
cc -O3 -fplugin=./nosuch.so -c a.cc
cc -O3 -fpass-plugin=./nosuch.so -c a.cc
cc -O3 -Xclang -disable-O0-optnone -Xclang -disable-llvm-passes -c a.cc
cc -O3 -Xclang -no-such-frontend-option -c a.cc
cc -O3 -mllvm -no-such-llvm-option -c a.cc
cc -O3 -mllvm -print-changed=quiet -mllvm -filter-print-funcs=nosuch -c a.cc
cc -O3 -mllvm -stats -c a.cc 2>/dev/null
cc -O3 -mllvm -opt-bisect-limit=0 -c a.cc 2>&1 | sed 's/ .*//' | sort -u
LINES
# A plugin that works: it notes that it ran, and once.
config=$(command -v llvm-config-19) && cat > pass.cc <<'P'
#include <cstdio>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Passes/PassPlugin.h>
struct Note : llvm::PassInfoMixin<Note> {
  static bool isRequired() { return true; }
  llvm::PreservedAnalyses run(llvm::Module&, llvm::ModuleAnalysisManager&) { std::fputs("the user's pass\n", stderr); return llvm::PreservedAnalyses::all(); }
};
extern "C" llvm::PassPluginLibraryInfo llvmGetPassPluginInfo() {
  return {LLVM_PLUGIN_API_VERSION, "note", "1", [](llvm::PassBuilder& b) {
    b.registerOptimizerLastEPCallback([](llvm::ModulePassManager& m, llvm::OptimizationLevel) { m.addPass(Note()); }); }};
}
P
if [ -n "$config" ] && "$CLANG" -shared -fPIC -fno-rtti -w $("$config" --cxxflags) pass.cc -o in/pass.so 2>/dev/null; then
  twin -p 'cc -O3 -fpass-plugin=./pass.so -c a.cc'
  twin -p 'echo -fpass-plugin=./pass.so > r; cc -O3 @r -c a.cc'
  twin -p 'cc -O3 -Xclang -fpass-plugin=./pass.so -c a.cc'
  grep -q "the user's pass" launched.err || no "the user's pass did not run"
fi
C=$GXX; twin -p 'cc -O3 -fplugin=./nosuch.so -c a.cc'; twin -p 'cc -O3 -fplugin-arg-x-y=z -c a.cc'
exit $bad
