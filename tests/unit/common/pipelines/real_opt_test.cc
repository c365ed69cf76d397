// Holds the tables against the compilers they describe: opt and clang 19 (Debian packages llvm-19,
// clang-19), and 14, 15 and 16 where they are installed.
#include <algorithm>
#include <filesystem>
#include <iostream>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "common/base/file.h"
#include "common/base/subprocess.h"
#include "common/base/text.h"
#include "common/pipelines/action_table.h"
#include "common/pipelines/knob_table.h"
#include "common/pipelines/mutation.h"
#include "common/pipelines/o3_pipeline.h"

namespace hone {
namespace {

constexpr int kMajor = 19;
constexpr const char* kOpt = "/usr/bin/opt-19";
constexpr const char* kClang = "/usr/bin/clang-19";

// Two functions with calls, a loop nest, a switch and memory: something for most passes to chew on.
constexpr std::string_view kModule = R"(
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"
define internal i32 @pick(i32 %x) {
  switch i32 %x, label %other [ i32 0, label %zero
                                i32 1, label %one
                                i32 2, label %two
                                i32 3, label %one ]
zero:
  ret i32 7
one:
  ret i32 9
two:
  ret i32 11
other:
  ret i32 0
}
define i32 @sum(ptr %a, i32 %n) {
entry:
  %s = alloca i32
  store i32 0, ptr %s
  %some = icmp sgt i32 %n, 0
  br i1 %some, label %outer, label %done
outer:
  %i = phi i32 [ 0, %entry ], [ %i.next, %outer.latch ]
  br label %inner
inner:
  %j = phi i32 [ 0, %outer ], [ %j.next, %inner ]
  %k = add nsw i32 %i, %j
  %index = sext i32 %k to i64
  %p = getelementptr inbounds i32, ptr %a, i64 %index
  %v = load i32, ptr %p
  %w = call i32 @pick(i32 %v)
  %old = load i32, ptr %s
  %new = add i32 %old, %w
  store i32 %new, ptr %s
  %j.next = add nsw i32 %j, 1
  %j.more = icmp slt i32 %j.next, %n
  br i1 %j.more, label %inner, label %outer.latch
outer.latch:
  %i.next = add nsw i32 %i, 1
  %i.more = icmp slt i32 %i.next, %n
  br i1 %i.more, label %outer, label %done
done:
  %r = load i32, ptr %s
  ret i32 %r
}
)";

std::string opt_path(int major) {
  return "/usr/bin/opt-" + std::to_string(major);
}

std::string clang_path(int major) {
  return "/usr/bin/clang-" + std::to_string(major);
}

// The majors of the tables whose compilers are on this machine.
std::vector<int> majors_here() {
  std::vector<int> majors;
  for (const int major : {14, 15, 16, 19}) {
    if (std::filesystem::exists(opt_path(major)) && std::filesystem::exists(clang_path(major))) {
      majors.push_back(major);
    } else {
      std::cout << "NOT TESTED: LLVM " << major << " (packages llvm, clang)\n";
    }
  }
  return majors;
}

class RealCompiler : public testing::Test {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists(kOpt) || !std::filesystem::exists(kClang)) {
      GTEST_SKIP() << "NOT TESTED: " << kOpt << " (package llvm-19) or " << kClang
                   << " is missing; the tables are unchecked";
    }
    Result<TemporaryFolder> folder = TemporaryFolder::create("hone-pipelines-test");
    ASSERT_TRUE(folder);
    folder_.emplace(std::move(*folder));
    module_ = folder_->path() / "module.ll";
    ASSERT_TRUE(write_file_atomically(module_, kModule));
  }

  static RunReport run_program(std::vector<std::string> arguments) {
    Command command;
    command.arguments = std::move(arguments);
    command.environment = {"PATH=/usr/bin:/bin"};
    command.limits.wall_time = std::chrono::seconds(60);
    Result<RunReport> report = run(command);
    EXPECT_TRUE(report) << (report ? "" : report.error().message);
    return report ? *report : RunReport();
  }

  RunReport opt(std::string_view pipeline, std::vector<std::string> more = {"-disable-output"},
                int major = kMajor) {
    std::vector<std::string> arguments = {opt_path(major), "-passes=" + std::string(pipeline),
                                          module_.string()};
    if (major == 14) {
      arguments.emplace_back("-opaque-pointers");  // the later ones' only kind
    }
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_program(std::move(arguments));
  }

  void expect_runs(const std::string& pipeline, int major = kMajor) {
    const RunReport report = opt(pipeline, {"-disable-output"}, major);
    EXPECT_TRUE(report.ok()) << "LLVM " << major << ": " << pipeline << "\n"
                             << report.describe_end() << "\n"
                             << report.stderr_text.substr(0, 500);
  }

  std::optional<TemporaryFolder> folder_;
  std::filesystem::path module_;
};

std::string in_adaptors(const std::string& pass, PassLevel level) {
  switch (level) {
    case PassLevel::module:
      return pass;
    case PassLevel::cgscc:
      return "cgscc(" + pass + ")";
    case PassLevel::function:
      return "function(" + pass + ")";
    case PassLevel::loop:
      return "function(loop(" + pass + "))";
    case PassLevel::loop_mssa:
      return "function(loop-mssa(" + pass + "))";
  }
  return pass;
}

// Every parameter text of a row by itself; every option by itself, with what is required.
std::vector<std::string> spellings(const PassEntry& entry) {
  const std::string name(entry.name);
  std::vector<std::string> result;
  const auto add = [&](const std::string& parameters) {
    result.push_back(parameters.empty() ? name : name + "<" + parameters + ">");
  };
  for (const std::string_view text : entry.texts) {
    add(std::string(text));
  }
  for (const PassOption& option : entry.options) {
    const std::string required =
        entry.required_option.empty() || option.name == entry.required_option
            ? ""
            : ";" + std::string(entry.required_option);
    const std::string text(option.name);
    switch (option.kind) {
      case OptionKind::text:
        add(text + required);
        break;
      case OptionKind::flag:
        add(text + required);
        add("no-" + text + required);
        break;
      case OptionKind::number:
        add(text + "=" + std::to_string(option.low) + required);
        add(text + "=" + std::to_string(option.high) + required);
        break;
    }
  }
  if (result.empty() || (entry.texts.empty() && entry.required_option.empty())) {
    add("");
  }
  return result;
}

std::vector<std::string> pipelines_of_table(int major) {
  std::vector<std::string> all;
  for (const PassEntry& entry : pass_table()) {
    if (!entry.majors.holds(major)) {
      continue;
    }
    for (const std::string& spelling : spellings(entry)) {
      all.push_back(in_adaptors(spelling, entry.level));
      if (entry.either_loop_level) {
        all.push_back(in_adaptors(spelling, PassLevel::loop_mssa));
      }
    }
  }
  return all;
}

TEST_F(RealCompiler, RunsEverySpellingOfTheTableAtEveryLevel) {
  for (const int major : majors_here()) {
    const std::vector<std::string> all = pipelines_of_table(major);
    ASSERT_GT(all.size(), 140U) << major;
    // In batches: a start of opt costs more than a pass. A failing batch is taken apart.
    constexpr std::size_t kBatch = 20;
    for (std::size_t first = 0; first < all.size(); first += kBatch) {
      const std::vector<std::string> batch(
          all.begin() + static_cast<std::ptrdiff_t>(first),
          all.begin() + static_cast<std::ptrdiff_t>(std::min(first + kBatch, all.size())));
      const std::string text = join(batch, ",");
      const Result<Forest> forest = parse_pipeline(text);
      ASSERT_TRUE(forest) << forest.error().message;
      const Result<void> checked = check_pipeline(*forest, major);
      EXPECT_TRUE(checked) << checked.error().message;
      if (!opt(text, {"-disable-output"}, major).ok()) {
        for (const std::string& pipeline : batch) {
          expect_runs(pipeline, major);
        }
      }
    }
  }
}

TEST_F(RealCompiler, KnowsEveryPassOfOpt) {
  const RunReport report = run_program({kOpt, "--print-passes"});
  ASSERT_TRUE(report.ok());
  bool is_pass_section = false;
  std::set<std::string> unknown;
  for (const std::string_view line : split(report.stdout_text, '\n')) {
    if (!line.starts_with(' ')) {
      is_pass_section = line.find("passes") != std::string_view::npos &&
                        line.find("Machine") == std::string_view::npos;
      continue;
    }
    const std::string name(trim(line).substr(0, trim(line).find('<')));
    const bool listed = std::ranges::any_of(
        pass_table(), [&](const PassEntry& entry) { return entry.name == name; });
    if (is_pass_section && !listed && exclusion_reason(name).empty()) {
      unknown.insert(name);
    }
  }
  EXPECT_TRUE(unknown.empty()) << join({unknown.begin(), unknown.end()}, " ");
}

TEST_F(RealCompiler, RunsHundredsOfMutatedAndRandomPipelines) {
  Random random(2026);
  const Forest o3 = *parse_pipeline(o3_pipeline(kMajor));
  Forest drifting = o3;
  std::vector<std::string> pipelines;
  for (int i = 0; i < 60; ++i) {
    pipelines.push_back(print(mutate(o3, kMajor, 1 + i % 8, random).forest));
    drifting = mutate(drifting, kMajor, 5, random).forest;
    pipelines.push_back(print(drifting));
    pipelines.push_back(print(crossover(o3, drifting, kMajor, random).forest));
  }
  for (int i = 0; i < 120; ++i) {
    pipelines.push_back(print(random_pipeline(kMajor, 1 + random.below(40), random).forest));
  }
  for (const std::string& pipeline : pipelines) {
    expect_runs(pipeline);
  }
}

TEST_F(RealCompiler, AcceptsWhatThePrinterPrintsForEveryLevel) {
  for (const char* level : {"O1", "O2", "O3", "Os", "Oz"}) {
    const RunReport report =
        opt("default<" + std::string(level) + ">", {"-print-pipeline-passes", "-disable-output"});
    ASSERT_TRUE(report.ok()) << report.stderr_text;
    const Result<Forest> forest = parse_pipeline(report.stdout_text);
    ASSERT_TRUE(forest) << forest.error().message;
    const Result<void> checked = check_pipeline(*forest, kMajor);
    EXPECT_TRUE(checked) << level << ": " << checked.error().message;
    expect_runs(print(canonical(*forest)));
  }
}

// Calls and loops of many sizes, so that a budget that differs shows in the code.
std::string module_of_many_sizes() {
  std::string text = "volatile int v; int a[512], b[512];\n";
  const auto callee = [&](const std::string& attribute, const std::string& name, int size) {
    text += "__attribute__((" + attribute + ")) void " + name + "(void) {";
    for (int i = 0; i < size; ++i) {
      text += " v;";
    }
    text += " }\n";
  };
  std::string plain;
  std::string hot;
  for (int size = 4; size < 120; size += 2) {
    const std::string suffix = std::to_string(size);
    callee("unused", "plain" + suffix, size);
    callee("cold", "cold" + suffix, size);
    plain += "  plain" + suffix + "(); cold" + suffix + "();\n";
    hot += "    plain" + suffix + "();\n";
    text += "void loop" + suffix + "(int x) { for (int i = 0; i < " + suffix +
            "; i++) b[i] = a[i] * x ^ (a[i] >> i); }\n";
  }
  text += "void once(void) {\n" + plain + "}\n";
  text +=
      "void often(void) {\n  for (int i = 0; i < 1000; i++) for (int j = 0; j < 1000; j++) {\n" +
      hot + "  }\n}\n";
  return text;
}

TEST_F(RealCompiler, FlattenedTextWithItsKnobsGivesTheCodeOfTheDefault) {
  const std::filesystem::path source = folder_->path() / "sizes.c";
  ASSERT_TRUE(write_file_atomically(source, module_of_many_sizes()));
  const auto code = [&](const std::string& level, std::string_view pipeline,
                        std::string_view left_out) {
    module_ = folder_->path() / (level + ".bc");
    EXPECT_TRUE(run_program({kClang, level, "-Xclang", "-disable-llvm-passes", "-w", "-emit-llvm",
                             "-c", source.string(), "-o", module_.string()})
                    .ok());
    std::vector<std::string> more = {"-o", "-"};
    for (const KnobValue& knob : restoring_knobs(kMajor)) {
      if (level == "-O3" && !is_default(pipeline) && knob.name != left_out) {
        more.push_back("-" + std::string(knob.name) + "=" + std::string(knob.value));
      }
    }
    const RunReport report = opt(pipeline, more);
    EXPECT_TRUE(report.ok()) << report.stderr_text;
    EXPECT_EQ(report.stdout_dropped, 0U);
    return report.stdout_text;
  };
  const std::string expected = code("-O3", "default<O3>", "");
  EXPECT_EQ(code("-O3", o3_pipeline(kMajor), ""), expected);
  for (const KnobValue& knob : restoring_knobs(kMajor)) {
    EXPECT_NE(code("-O3", o3_pipeline(kMajor), knob.name), expected)
        << "without " << knob.name << " there is no difference to see";
  }
  EXPECT_EQ(code("-Oz", oz_pipeline(kMajor), ""), code("-Oz", "default<Oz>", ""));
}

// At both ends of its range and at every candidate value. A strict floating-point sum must stay
// one: vectorised adds in its assembly mean that the knob let the compiler reassociate.
TEST_F(RealCompiler, TakesEveryKnobAndNoneReassociates) {
  const std::filesystem::path source = folder_->path() / "sum.c";
  ASSERT_TRUE(write_file_atomically(
      source,
      "float sum(const float *a, int n) {\n"
      "  float s = 0;\n  for (int i = 0; i < n; i++) s += a[i];\n  return s;\n}\n"));
  const auto compile = [&](int major, const std::vector<std::string>& knobs) {
    std::vector<std::string> arguments = {clang_path(major), "-O3", "-S",
                                          source.string(),   "-o",  "-"};
    for (const std::string& knob : knobs) {
      arguments.insert(arguments.end(), {"-mllvm", knob});
    }
    return run_program(std::move(arguments));
  };
  const auto reassociates = [](const RunReport& report) {
    return report.stdout_text.find("addps") != std::string::npos;
  };
  EXPECT_TRUE(reassociates(compile(kMajor, {"-force-vector-width=4"}))) << "the test is blind";
  const auto expect_harmless = [&](int major, const std::vector<std::string>& knobs) {
    const RunReport report = compile(major, knobs);
    EXPECT_TRUE(report.ok()) << "clang " << major << join(knobs, " ") << "\n"
                             << report.stderr_text.substr(0, 300);
    EXPECT_FALSE(reassociates(report)) << "clang " << major << join(knobs, " ");
  };
  for (const int major : majors_here()) {
    std::vector<std::string> lowest;
    std::vector<std::string> highest;
    for (const KnobEntry& entry : knob_table()) {
      if (!entry.majors.holds(major)) {
        continue;
      }
      const std::string knob = "-" + std::string(entry.name) + "=";
      const bool is_flag = entry.kind == KnobKind::flag;
      lowest.push_back(knob + (is_flag ? "false" : std::to_string(entry.low)));
      highest.push_back(knob + (is_flag ? "true" : std::to_string(entry.high)));
      if (major == kMajor) {
        std::set<std::string> values(entry.candidates.begin(), entry.candidates.end());
        for (const std::string& value : values) {
          expect_harmless(major, {knob + value});
        }
        expect_harmless(major, {lowest.back()});
        expect_harmless(major, {highest.back()});
      }
    }
    // The older ones are asked for all at once, which they take if they take each.
    expect_harmless(major, lowest);
    expect_harmless(major, highest);
  }
}

}  // namespace
}  // namespace hone
