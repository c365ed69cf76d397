#include "build_integration/launcher/command_line.h"

#include <sys/stat.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include "common/base/file.h"
#include "common/base/text.h"

namespace hone {
namespace {

// Arguments separated by blanks.
CommandLine scan(std::string_view text, std::string_view compiler = "clang++") {
  std::vector<std::string> arguments;
  for (const std::string_view part : split(text, ' ')) {
    arguments.emplace_back(part);
  }
  return scan_command_line(compiler, arguments);
}

std::string_view refusal(std::string_view text, std::string_view compiler = "clang++") {
  return to_string(scan(text, compiler).refused);
}

TEST(CommandLine, ReadsAnOrdinaryCompile) {
  const CommandLine line = scan("-O3 -Iinc -DX=1 -c src/a.cc -o out/a.o");
  EXPECT_EQ(line.refused, Reason::none);
  EXPECT_TRUE(line.makes_object);
  EXPECT_EQ(line.source, "src/a.cc");
  EXPECT_EQ(line.output, "out/a.o");
  EXPECT_EQ(line.level, "O3");
}

TEST(CommandLine, OptionsSwallowTheirValues) {
  EXPECT_EQ(scan("-c a.cc -O2 -B -O3").level, "O2");
  EXPECT_EQ(scan("-c a.cc -O3 -I -O0 -D b.cc -include c.cc -Xclang -fno-x -mllvm -x=1").source,
            "a.cc");
  EXPECT_EQ(refusal("-O3 -c a.cc -I -E -D -M -MT -MM -MF -S"), "none");
  EXPECT_EQ(refusal("-O3 -c a.cc -sectcreate -E -M -S"), "none");
  EXPECT_EQ(refusal("-O3 -c a.cc -o"), "none");  // the compiler will complain, not we
}

TEST(CommandLine, TheLastLevelWins) {
  EXPECT_EQ(scan("-O0 -O3 -c a.cc").level, "O3");
  EXPECT_EQ(refusal("-O3 -c a.cc -O0"), "level");
  EXPECT_EQ(scan("-c a.cc -O").level, "O1");
  EXPECT_EQ(scan("-c a.cc -O4").level, "O3");
  EXPECT_EQ(scan("-c a.cc -Ofast").level, "O3");
  EXPECT_EQ(scan("-c a.cc -Os").level, "Os");
  EXPECT_EQ(scan("-c a.cc -Oz").level, "Oz");
  EXPECT_EQ(refusal("-c a.cc -Og"), "level");
  EXPECT_EQ(refusal("-c a.cc"), "level");
  EXPECT_EQ(refusal("-c a.cc -Oodd"), "level");
}

TEST(CommandLine, DefaultOutputIsInTheWorkingFolder) {
  EXPECT_EQ(scan("-O3 -c ../src/a.b.cc").output, "a.b.o");
  EXPECT_EQ(scan("-O3 -c a.cc -ojoined.o").output, "joined.o");
  EXPECT_EQ(scan("-O3 -c a.cc -o one.o -o two.o").output, "two.o");
}

TEST(CommandLine, ModesAreNoCompiles) {
  for (const char* mode :
       {"-E", "-M", "-MM", "-S", "-fsyntax-only", "-###", "--version", "-dumpmachine", "--help",
        "--precompile", "--analyze", "-emit-ast", "-emit-llvm", "-print-search-dirs",
        "-print-file-name=libc.so", "--print-targets", "-cc1"}) {
    EXPECT_EQ(refusal("-O3 -c a.cc " + std::string(mode)), "not_a_compile") << mode;
    EXPECT_FALSE(scan("-O3 -c a.cc " + std::string(mode)).makes_object) << mode;
  }
  EXPECT_EQ(refusal("-O3 a.cc -o program"), "not_a_compile");
  EXPECT_EQ(refusal("-O3 -MD -MMD -MP -c a.cc"), "none");
}

TEST(CommandLine, OnlyCAndCxxSourceIsTuned) {
  for (const char* source :
       {"a.c", "a.cc", "a.cp", "a.cxx", "a.cpp", "a.c++", "a.C", "a.CPP", "a.i", "a.ii", "a.cppm",
        "-x c++ a.odd", "-xc a.odd", "-x c++-module a.m", "-x none a.cc"}) {
    EXPECT_EQ(refusal("-O3 -c " + std::string(source)), "none") << source;
  }
  for (const char* source :
       {"a.s", "a.S", "a.ll", "a.bc", "a.m", "a.mm", "a.cu", "a.cl", "a.h", "a.hpp", "a.pcm", "a",
        "a.o", "-x c++-header a.cc", "-x assembler a.c", "-x ir a.c", "-x cuda a.cc"}) {
    EXPECT_EQ(refusal("-O3 -c " + std::string(source)), "other_language") << source;
  }
}

TEST(CommandLine, OneSourceOneObject) {
  EXPECT_EQ(refusal("-O3 -c a.cc b.cc"), "several_sources");
  EXPECT_EQ(refusal("-O3 -c"), "no_source");
  EXPECT_EQ(refusal("-O3 -x c++ -c -"), "stdin_input");
  EXPECT_EQ(scan("-O3 -c -- -odd.cc").source, "-odd.cc");
}

TEST(CommandLine, OtherMachinesAndDriversAreLeftAlone) {
  EXPECT_EQ(refusal("-O3 --target=riscv64-linux-gnu -c a.cc"), "other_target");
  EXPECT_EQ(refusal("-O3 -target riscv64-linux-gnu -c a.cc"), "other_target");
  EXPECT_EQ(refusal("-O3 -arch x -c a.cc"), "other_target");
  EXPECT_EQ(refusal("-O3 -Xarch_host -O2 -c a.cc"), "other_target");
  EXPECT_EQ(refusal("-O3 -m32 -c a.cc"), "other_target");
  // The compiler itself is asked what it makes of its name.
  EXPECT_EQ(refusal("-O3 -c a.cc", "/opt/riscv64-unknown-linux-gnu-clang++"), "none");
  EXPECT_EQ(refusal("-O3 -c a.cc", "clang-cl"), "other_driver");
  EXPECT_EQ(refusal("-O3 --driver-mode=cl -c a.cc"), "other_driver");
  EXPECT_EQ(refusal("-O3 -c a.cc", "/usr/bin/clang++-19"), "none");
#if defined(__x86_64__)
  EXPECT_EQ(refusal("-O3 --target=x86_64-pc-linux-gnu -c a.cc"), "none");
  EXPECT_EQ(refusal("-O3 -c a.cc", "x86_64-linux-gnu-clang++"), "none");
  EXPECT_EQ(refusal("-O3 --target=x86_64-pc-windows-msvc -c a.cc"), "other_target");
#endif
}

TEST(CommandLine, ADecisionIsNamedInTheLinkersClothes) {
  const CommandLine line = scan("-O3 -Xlinker --hone-decision=hone/a.cc.hone -c a.cc");
  EXPECT_EQ(line.refused, Reason::none);
  EXPECT_EQ(line.decision, "hone/a.cc.hone");
  EXPECT_EQ(line.options.size(), 2U);
  EXPECT_EQ(scan("-O3 -Xlinker -s -c a.cc").options.size(), 3U);
}

TEST(CommandLine, MessagesWithoutNamesOfWarningsAreLeftAlone) {
  for (const std::string option :
       {"-fno-diagnostics-show-option", "-fdiagnostics-format=json", "-fdiagnostics-format=sarif",
        "-fdiagnostics-format=SARIF", "-fdiagnostics-format=sarif-file", "-fanalyzer",
        "-Reverything", "-Xclang -Rpass=inline", "-Xclang -Rpass-missed=.*",
        "-Xclang -fno-diagnostics-show-option", "-Xclang -fwarn-stack-size=40",
        "-Xclang=-Rpass=inline"}) {
    EXPECT_EQ(refusal("-O3 " + option + " -c a.cc"), "reports") << option;
  }
  EXPECT_EQ(refusal("-O3 -fdiagnostics-format=text -fdiagnostics-show-option -c a.cc"), "none");
}

TEST(CommandLine, TheLastProfileAndTheLastLtoCount) {
  EXPECT_EQ(refusal("-O3 -fprofile-use=x.profdata -c a.cc"), "none");
  EXPECT_EQ(scan("-O3 -fprofile-use=x.profdata -c a.cc").profile, "x.profdata");
  EXPECT_EQ(scan("-O3 -fprofile-use=x -fprofile-instr-use=y -c a.cc").profile, "y");
  EXPECT_EQ(scan("-O3 -fprofile-use=x -fno-profile-use -c a.cc").profile, "");
  EXPECT_EQ(scan("-O3 -c a.cc").profile, "");
  EXPECT_TRUE(scan("-O3 -flto=thin -c a.cc").link_time);
  EXPECT_FALSE(scan("-O3 -flto -fno-lto -c a.cc").link_time);
}

TEST(CommandLine, WhatDependsOnTheOwnPipelineIsLeftAlone) {
  EXPECT_EQ(refusal("-O3 -fprofile-generate -c a.cc"), "instrumented");
  EXPECT_EQ(refusal("-O3 -fprofile-use=x -fcs-profile-generate -c a.cc"), "instrumented");
  EXPECT_EQ(refusal("-O3 -fprofile-sample-use=x -c a.cc"), "instrumented");
  EXPECT_EQ(refusal("-O3 --coverage -c a.cc"), "instrumented");
  EXPECT_EQ(refusal("-O3 -save-temps=obj -c a.cc"), "saves_temps");
  EXPECT_EQ(refusal("-O3 -MJ x.json -c a.cc"), "records_command");
  EXPECT_EQ(refusal("-O3 -MJx.json -c a.cc"), "records_command");
  EXPECT_EQ(refusal("-O3 -v -c a.cc"), "reports");
  EXPECT_EQ(refusal("-O3 -Rpass=inline -c a.cc"), "reports");
  EXPECT_EQ(refusal("-O3 -Xclang -disable-llvm-passes -c a.cc"), "disables_passes");
  EXPECT_EQ(refusal("-O3 -fpass-plugin=mine.so -c a.cc"), "user_plugin");
  EXPECT_EQ(refusal("-O3 -Xclang -load -Xclang x.so -c a.cc"), "user_plugin");
  EXPECT_EQ(refusal("-O3 --config x.cfg -c a.cc"), "unusual_option");
  EXPECT_EQ(refusal("-O3 --optimize=0 -c a.cc"), "unusual_option");
  EXPECT_EQ(refusal("-O3 --output=x.o -c a.cc"), "unusual_option");
  EXPECT_EQ(refusal("-O3 --sysroot=/x --std=c++20 --param x=1 -c a.cc"), "none");
}

TEST(CommandLine, ADecisionIsNotMadeTwice) {
  EXPECT_EQ(refusal("-fplugin=/x/libhone_pass-19.so -O3 -c a.cc"), "already_decided");
  EXPECT_EQ(refusal("-mllvm -use-hone-pipeline=gvn -O3 -c a.cc"), "already_decided");
}

TEST(CommandLine, NamesTheUsersKnobs) {
  EXPECT_EQ(scan("-O3 -c a.cc -mllvm -unroll-count=4 -mllvm --x -mllvm=-y=1").user_knobs,
            (std::vector<std::string>{"unroll-count", "x", "y"}));
  EXPECT_EQ(scan("-O3 -c a.cc -Xclang -mllvm -Xclang -z=4 -Xclang -fno-x").user_knobs,
            (std::vector<std::string>{"z"}));
}

TEST(CommandLine, DevicesAndFoldersAreNoOutputs) {
  EXPECT_EQ(refusal("-O3 -c a.cc -o /dev/null"), "other_output");
  EXPECT_EQ(refusal("-O3 -c a.cc -o /tmp"), "other_output");
  EXPECT_EQ(refusal("-O3 -c a.cc -o -"), "other_output");
}

// A compile that fails tuned is done again: what can be read or written once only is left alone.
TEST(CommandLine, PipesAndDescriptorsAreLeftAlone) {
  EXPECT_EQ(refusal("-O3 -x c++ -c /dev/stdin -o x.o"), "stdin_input");
  EXPECT_EQ(refusal("-O3 -c a.cc -include /dev/fd/63"), "stdin_input");
  EXPECT_EQ(refusal("-O3 -c a.cc -include/proc/self/fd/5"), "stdin_input");
  for (const char* output : {"-MF -", "-MF-", "-MF /dev/stdout", "-Wp,-MD,-",
                             "-Wp,-MMD,/dev/stderr", "-foptimization-record-file=/dev/stdout"}) {
    EXPECT_EQ(refusal("-O3 -MD -c a.cc " + std::string(output)), "other_output") << output;
  }
  EXPECT_EQ(refusal("-O3 -MD -MF /dev/null -Wp,-MD,/tmp/no/such.d -c a.cc"), "none");
  const TemporaryFolder folder = *TemporaryFolder::create("command-line-test");
  const std::string pipe = (folder.path() / "pipe.cc").string();
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_EQ(refusal("-O3 -c " + pipe), "stdin_input");
  const std::string link = (folder.path() / "link.o").string();
  ASSERT_EQ(::symlink("no/such/folder/a.o", link.c_str()), 0);
  EXPECT_EQ(refusal("-O3 -c a.cc -o " + link), "other_output");
}

TEST(CommandLine, WhatAsksAboutThePassesIsLeftAlone) {
  for (const char* option :
       {"-mllvm -print-after-all", "-mllvm=--debug-pass-manager", "-mllvm -stats",
        "-Xclang -mllvm -Xclang -time-passes", "-mllvm -opt-bisect-limit=3", "-fdump-tree-all",
        "-fopt-info-vec", "-Q", "-dM", "-da", "-gen-reproducer", "-fcrash-diagnostics=all"}) {
    EXPECT_EQ(refusal("-O3 -c a.cc " + std::string(option)), "reports") << option;
  }
  EXPECT_EQ(refusal("-O3 -c a.cc -Xclang -mllvm -Xclang -unroll-count=2"), "none");
  EXPECT_EQ(refusal("-O3 -c a.cc -fcrash-diagnostics-dir=x -dumpdir y -fcompare-elim"), "none");
}

TEST(CommandLine, FrontendActionsAreNoCompiles) {
  for (const char* option : {"-Xclang=-ast-dump", "-Xclang -dump-tokens", "-Xclang -init-only"}) {
    EXPECT_EQ(refusal("-O3 -c a.cc " + std::string(option)), "not_a_compile") << option;
  }
  EXPECT_EQ(refusal("-O3 -c a.cc -Xclang=-load -Xclang=x.so"), "user_plugin");
  EXPECT_EQ(refusal("-O3 -c a.cc -Xclang=-fno-pch-timestamp"), "none");
}

TEST(CommandLine, QuestionsToTheInnerPartsAreNoCompiles) {
  for (const char* option : {"-Wa,--version",
                             "-Wa,-mtune=core2,--help",
                             "-Wa,--target-help",
                             "-Xassembler --version",
                             "-dumpfullversion",
                             "-dumpspecs",
                             "-fhelp",
                             "-fhelp=common",
                             "-fversion",
                             "-ftarget-help",
                             "-mllvm --help",
                             "-mllvm --version",
                             "-mllvm=-help-list",
                             "-mllvm -h",
                             "-Xclang -mllvm -Xclang -help",
                             "-Xclang -help",
                             "-Xclang=-version",
                             "-Xclang --print-supported-cpus",
                             "-Xclang -analyzer-checker-help",
                             "-Wp,-version",
                             "-Wp,-DX,--help",
                             "-Wp,-E",
                             "-Wp,-M",
                             "-Xpreprocessor -version",
                             "-Xpreprocessor -MM"}) {
    EXPECT_EQ(refusal("-O3 -c a.cc " + std::string(option)), "not_a_compile") << option;
  }
  EXPECT_EQ(refusal("-O3 -c a.cc -Wp,-load,x.so"), "user_plugin");
  EXPECT_EQ(refusal("-O3 -c a.cc -Xpreprocessor -disable-llvm-passes"), "disables_passes");
  EXPECT_EQ(refusal("-O3 -c a.cc -Wp,-mllvm,-stats"), "unusual_option");
  for (const char* option :
       {"-Wp,-D_FORTIFY_SOURCE=2", "-Wp,-MD,x.d", "-Wp,-MMD,x.d,-MT,x.o", "-Xpreprocessor -DX",
        "-Wa,--noexecstack", "-Wa,-ahls", "-Wa,-ahl=x.lst", "-Xassembler --gdwarf-5"}) {
    EXPECT_EQ(refusal("-O3 -c a.cc " + std::string(option)), "none") << option;
  }
  EXPECT_EQ(refusal("-O3 -c a.cc -Wa,-ahl=-"), "other_output");
}

TEST(CommandLine, ModuleMappersAreAskedOnce) {
  for (const char* mapper : {"3-4", "<3>4", "<>", "|prog", "|@g++-mapper-server -r", "=/run/mapper",
                             "localhost:4711", ":4711", "/no/such/file"}) {
    EXPECT_EQ(scan_command_line("g++", {"-O3", "-c", "a.cc", "-fmodules-ts",
                                        "-fmodule-mapper=" + std::string(mapper)})
                  .refused,
              Reason::unusual_option)
        << mapper;
  }
  const TemporaryFolder folder = *TemporaryFolder::create("command-line-test");
  const std::string file = (folder.path() / "mapping").string();
  ASSERT_TRUE(write_file_atomically(file, "m m.gcm\n"));
  EXPECT_EQ(refusal("-O3 -c a.cc -fmodules-ts -fmodule-mapper=" + file, "g++"), "none");
  EXPECT_EQ(refusal("-O3 -c a.cc -fmodules-ts -fmodule-mapper=" + file + "?ident", "g++"), "none");
  ::setenv("CXX_MODULE_MAPPER", "", 1);
  EXPECT_EQ(unusual_environment(), "CXX_MODULE_MAPPER");
  ::unsetenv("CXX_MODULE_MAPPER");
}

TEST(CommandLine, GccsOptionsAreKnown) {
  EXPECT_EQ(scan("-O3 -c a.cc -dumpbase -O0 -Ttext -E", "g++").level, "O3");
  EXPECT_EQ(refusal("-O3 -c a.cc -dumpbase -E -Ttext -S", "g++"), "none");
  EXPECT_EQ(refusal("-O3 -c a.cc -wrapper gdb,--args", "g++"), "unusual_option");
  EXPECT_EQ(refusal("-O3 -c a.cc -fbranch-probabilities", "g++"), "instrumented");
  EXPECT_EQ(refusal("-O3 -c a.cc -fdisable-tree-vrp1", "g++"), "disables_passes");
  EXPECT_EQ(refusal("-O3 -c a.cc -frecord-gcc-switches", "g++"), "records_command");
  EXPECT_FALSE(scan("-O3 -c a.cc --help=optimizers", "g++").makes_object);
}

TEST(CommandLine, ResponseFilesCount) {
  const TemporaryFolder folder = *TemporaryFolder::create("command-line-test");
  const std::string file = (folder.path() / "r").string();
  ASSERT_TRUE(write_file_atomically(file, "-O3 -c \"a b.cc\""));
  const CommandLine line = scan_command_line("clang", {"-O0", "@" + file});
  EXPECT_EQ(line.refused, Reason::none);
  EXPECT_EQ(line.source, "a b.cc");
  EXPECT_EQ(line.level, "O3");
}

TEST(CommandLine, SurvivesAnyArguments) {
  for (const char* text : {"", "-", "--", "-o", "-x", "-O", "-mllvm", "-Xclang", "@", "@@", "-M",
                           "-sectcreate a", "--=", "-mllvm -", "-c -x", "-O3 -c \xff\xfe"}) {
    (void)scan(text);
  }
}

}  // namespace
}  // namespace hone
