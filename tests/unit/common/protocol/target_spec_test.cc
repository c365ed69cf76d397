#include "common/protocol/target_spec.h"

#include "tests/unit/common/protocol/refusals.h"

namespace hone {
namespace {

const Json& small_target() {
  static const Json kTarget = Json::parse(R"({
    "name": "lz4",
    "source": {"artifact": "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"},
    "build": {"cmake": {"source": "build/cmake"}, "binaries": ["lz4"]},
    "benchmark": {"command": ["{build}/lz4", "-9", "{input}"],
                  "inputs": [{"name": "text", "file": "bench/text.bin"}]}
  })");
  return kTarget;
}

TargetSpec full_target() {
  TargetSpec spec;
  spec.name = "double-conversion";
  spec.source.git = GitSource{"https://example.org/dc.git", std::string(40, 'a')};
  spec.fetch = {{"git", "submodule", "update"}};
  spec.build.cmake = CMakeSpec{".", {"-DBUILD_TESTING=OFF"}, {"bench"}};
  spec.build.commands = {{"{cxx}", "-O3", "{source}/driver.cc"}, {"true"}};
  spec.build.binaries = {"bench", "lib/libdc.so"};
  spec.build.timeout_seconds = 77;
  spec.build.memory_mib = 1234;
  spec.benchmark.command = {"{build}/bench", "{input}"};
  spec.benchmark.inputs = {{"small", "a.txt", std::string(64, 'b')}, {"big", "b.txt", ""}};
  spec.benchmark.metric.metric = Metric::printed;
  spec.benchmark.metric.pattern = "rate: ([0-9.]+)";
  spec.benchmark.metric.higher_is_better = true;
  spec.benchmark.checks = {
      {"tests", {"{build}/test", "-q"}, "", "", true},
      {"odd", {"{build}/test", "{input}"}, "t.txt", std::string(64, 'c'), false},
      {"empty", {}, "empty.txt", "", true}};
  spec.benchmark.compare_output = false;
  spec.benchmark.compare_stderr = true;
  spec.benchmark.outputs = {"out.txt", "parts/*.csv"};
  spec.benchmark.tolerance = Tolerance{1e-9, 0.5};
  spec.benchmark.sanitize = {Sanitizer::address, Sanitizer::undefined};
  spec.benchmark.links = 3;
  spec.benchmark.timeout_seconds = 5;
  spec.benchmark.memory_mib = 100;
  spec.tune = {.include = {"src/*"}, .exclude = {"src/x.cc", "test/*"}, .deadline_seconds = 7200};
  spec.required = {{{"rack", "a"}}, "EPYC", {16, 19}, 4096};
  return spec;
}

Pointers strictly(const Json& document) {
  return refused(parse_target_spec(document, UnknownKeys::refuse));
}

TEST(TargetSpec, RoundTrips) {
  const TargetSpec spec = full_target();
  const Result<TargetSpec> back = parse_target_spec(to_json(spec), UnknownKeys::refuse);
  ASSERT_TRUE(back.has_value()) << back.error().describe();
  EXPECT_EQ(*back, spec);
}

TEST(TargetSpec, SmallDocumentGetsDefaults) {
  const Result<TargetSpec> spec = parse_target_spec(small_target(), UnknownKeys::refuse);
  ASSERT_TRUE(spec.has_value()) << spec.error().describe();
  EXPECT_EQ(spec->build.timeout_seconds, 1800);
  EXPECT_EQ(spec->benchmark.metric.metric, Metric::cpu_time);
  EXPECT_TRUE(spec->benchmark.compare_output);
  EXPECT_FALSE(spec->benchmark.compare_stderr);
  EXPECT_FALSE(spec->benchmark.tolerance.has_value());
  EXPECT_TRUE(spec->benchmark.sanitize.empty());
  EXPECT_TRUE(spec->benchmark.outputs.empty());
  EXPECT_TRUE(spec->benchmark.checks.empty());
  EXPECT_EQ(spec->benchmark.links, 8);
  EXPECT_EQ(spec->tune.include, std::vector<std::string>{"*"});
}

TEST(TargetSpec, UnknownKeysAreRefusedOrIgnored) {
  const Json odd = with(small_target(), "/build/colour", "blue");
  EXPECT_EQ(strictly(odd), Pointers{"/build/colour"});
  EXPECT_TRUE(parse_target_spec(odd, UnknownKeys::ignore).has_value());
}

TEST(TargetSpec, EveryBadFieldIsNamedAtOnce) {
  Json bad = small_target();
  bad["name"] = "LZ4";
  bad["build"]["timeout_seconds"] = 0;
  bad["benchmark"]["inputs"][0]["file"] = "/etc/passwd";
  EXPECT_EQ(strictly(bad),
            (Pointers{"/benchmark/inputs/0/file", "/build/timeout_seconds", "/name"}));
}

TEST(TargetSpec, OneFaultIsToldOnce) {
  const Json bare = with(small_target(), "/build/cmake", nullptr);
  EXPECT_EQ(strictly(with(bare, "/build/commands", "make")), Pointers{"/build/commands"});
  EXPECT_EQ(strictly(with(small_target(), "/tune", Json{{"include", "*.c"}})),
            Pointers{"/tune/include"});
}

TEST(TargetSpec, AGitUrlNamesAHostAndHoldsNoControlCharacters) {
  Json target = to_json(full_target());
  for (const char* url :
       {"https://h/\nx", "https://h/\x7fx", "https://h/a b", "https://", "https:///x",
        "https://:443/x", "https://user@/x", "/srv/a\tb", "file:///\r"}) {
    target["source"]["git"]["url"] = url;
    EXPECT_EQ(strictly(target), Pointers{"/source/git/url"}) << url;
    // An earlier release took it.
    EXPECT_TRUE(parse_target_spec(target, UnknownKeys::ignore).has_value()) << url;
  }
  for (const char* url : {"https://h", "https://user@h:8443/x.git", "https://[::1]/x", "/srv/x.git",
                          "file:///srv/x.git"}) {
    target["source"]["git"]["url"] = url;
    EXPECT_EQ(strictly(target), Pointers{"(accepted)"}) << url;
  }
}

TEST(TargetSpec, InvariantsAreRefusedByPointer) {
  const Json good = small_target();
  const std::vector<std::pair<Json, std::string>> cases = {
      {with(good, "/name", nullptr), "/name"},
      {with(good, "/name", "../x"), "/name"},
      {with(good, "/name", 7), "/name"},
      {with(good, "/source/artifact", "abc"), "/source/artifact"},
      {with(good, "/source/git", Json{{"url", "https://x"}, {"commit", std::string(40, '0')}}),
       "/source/git"},
      {with(good, "/build", nullptr), "/build"},
      {with(good, "/build/cmake", nullptr), "/build/commands"},
      {with(good, "/build/cmake/source", "a/../../b"), "/build/cmake/source"},
      {with(good, "/build/cmake/targets", Json::array({"--help"})), "/build/cmake/targets"},
      {with(good, "/build/binaries", nullptr), "/build/binaries"},
      {with(good, "/build/binaries/0", "../lz4"), "/build/binaries/0"},
      {with(good, "/build/commands", Json::parse(R"([["make"],[]])")), "/build/commands/1"},
      {with(good, "/build/commands", Json::parse(R"([["make", 3]])")), "/build/commands/0/1"},
      {with(good, "/build/commands", Json::parse(R"([["make", "{input}"]])")),
       "/build/commands/0/1"},
      {with(good, "/build/commands", "make"), "/build/commands"},
      {with(good, "/benchmark/command", nullptr), "/benchmark/command"},
      {with(good, "/benchmark/command/0", "{home}/x"), "/benchmark/command/0"},
      {with(good, "/benchmark/command", Json::array({"{build}/lz4"})), "/benchmark/command"},
      {with(good, "/benchmark/inputs", nullptr), "/benchmark/inputs"},
      {with(good, "/benchmark/metric", Json{{"metric", "printed"}}), "/benchmark/metric/pattern"},
      {with(good, "/benchmark/metric", Json{{"metric", "printed"}, {"pattern", "x"}}),
       "/benchmark/metric/pattern"},
      {with(good, "/benchmark/metric", Json{{"metric", "printed"}, {"pattern", "("}}),
       "/benchmark/metric/pattern"},
      {with(good, "/benchmark/metric", Json{{"metric", "cpu_time"}, {"pattern", "(x)"}}),
       "/benchmark/metric/pattern"},
      {with(good, "/benchmark/metric", Json{{"higher_is_better", true}}),
       "/benchmark/metric/higher_is_better"},
      {with(good, "/benchmark/timeout_seconds", 3601), "/benchmark/timeout_seconds"},
      {with(good, "/benchmark/compare_output", 1), "/benchmark/compare_output"},
      {with(good, "/benchmark/compare_stderr", "yes"), "/benchmark/compare_stderr"},
      {with(good, "/benchmark/outputs", "out.txt"), "/benchmark/outputs"},
      {with(good, "/benchmark/outputs", Json::array({"a", "/etc/passwd"})), "/benchmark/outputs/1"},
      {with(good, "/benchmark/outputs", Json::array({"../*"})), "/benchmark/outputs/0"},
      {with(good, "/benchmark/outputs", Json::array({std::string(257, 'x')})),
       "/benchmark/outputs/0"},
      {with(good, "/benchmark/tolerance", Json::object()), "/benchmark/tolerance/relative"},
      {with(good, "/benchmark/tolerance", 1e-9), "/benchmark/tolerance"},
      {with(good, "/benchmark/sanitize", true), "/benchmark/sanitize"},
      {with(good, "/benchmark/sanitize", {"memory"}), "/benchmark/sanitize/0"},
      {with(good, "/benchmark/sanitize", {"address", "Undefined"}), "/benchmark/sanitize/1"},
      {with(good, "/benchmark/sanitize", {"address", "address"}), "/benchmark/sanitize/1"},
      {with(good, "/benchmark/tolerance", Json{{"relative", 0.6}}),
       "/benchmark/tolerance/relative"},
      {with(good, "/benchmark/tolerance", Json{{"absolute", -1}}), "/benchmark/tolerance/absolute"},
      {with(good, "/benchmark/links", 0), "/benchmark/links"},
      {with(good, "/benchmark/links", 65), "/benchmark/links"},
      {with(good, "/benchmark/links", 2.5), "/benchmark/links"},
      {with(good, "/tune", Json{{"include", Json::array()}}), "/tune/include"},
      {with(good, "/tune", Json{{"deadline_seconds", 0}}), "/tune/deadline_seconds"},
  };
  for (const auto& [document, pointer] : cases) {
    EXPECT_EQ(strictly(document), Pointers{pointer}) << dump_json(document);
  }
}

TEST(TargetSpec, InputNamesAreUnique) {
  Json twice = small_target();
  twice["benchmark"]["inputs"].push_back(twice["benchmark"]["inputs"][0]);
  EXPECT_EQ(strictly(twice), Pointers{"/benchmark/inputs/1/name"});
}

const Pointers kTaken = {"(accepted)"};

TEST(TargetSpec, AToleranceNeedsSomethingThatIsCompared) {
  Json none = with(small_target(), "/benchmark/tolerance", Json{{"relative", 0}});
  EXPECT_EQ(strictly(none), kTaken);
  none["benchmark"]["compare_output"] = false;
  EXPECT_EQ(strictly(none), Pointers{"/benchmark/tolerance"});
  none["benchmark"]["outputs"] = Json::array({"out.txt"});
  EXPECT_EQ(strictly(none), kTaken);
}

TEST(TargetSpec, AChecksCommandAndItsFileBelongTogether) {
  const auto with_check = [](const char* check, bool benchmark_reads = true) {
    Json target = small_target();
    if (!benchmark_reads) {
      target["benchmark"] = Json{{"command", Json::array({"{build}/lz4"})}};
    }
    target["benchmark"]["checks"] = Json::array({Json::parse(check)});
    return target;
  };
  const std::string at = "/benchmark/checks/0";
  const std::vector<std::pair<Json, Pointers>> cases = {
      {with_check(R"({"name": "a", "file": "a.txt"})"), kTaken},
      {with_check(R"({"name": "a", "command": ["{build}/test"]})"), kTaken},
      {with_check(R"({"name": "a", "command": ["{build}/test", "{input}"], "file": "a"})"), kTaken},
      {with_check(R"({"name": "a", "command": ["{build}/test"]})", false), kTaken},
      {with_check(R"({"name": "a"})"), {at + "/file"}},
      {with_check(R"({"name": "a"})", false), {at + "/file"}},
      {with_check(R"({"file": "a"})"), {at + "/name"}},
      {with_check(R"({"name": "a", "file": "../a"})"), {at + "/file"}},
      {with_check(R"({"name": "a", "file": "a"})", false), {at + "/file"}},
      {with_check(R"({"name": "a", "command": ["t"], "file": "a"})"), {at + "/file"}},
      {with_check(R"({"name": "a", "command": ["t", "{input}"]})"), {at + "/file"}},
      {with_check(R"({"name": "a", "command": []})"), {at + "/command"}},
      {with_check(R"({"name": "a", "command": ["t", "{home}"]})"), {at + "/command/1"}},
      {with_check(R"({"name": "a", "file": "a", "expected_output_sha256": "1"})"),
       {at + "/expected_output_sha256"}},
      {with_check(R"({"name": "text", "file": "a"})"), {at + "/name"}},  // an input's
  };
  for (const auto& [document, pointers] : cases) {
    EXPECT_EQ(strictly(document), pointers) << dump_json(document);
  }
}

TEST(TargetSpec, OfAChecksOutputTheBenchmarksRuleHoldsUnlessItHasItsOwnCommand) {
  Json target = with(small_target(), "/benchmark/compare_output", false);
  target["benchmark"]["checks"] = Json::parse(
      R"([{"name": "a", "file": "a"}, {"name": "b", "command": ["{build}/test"]},
          {"name": "c", "file": "c", "compare_output": true}])");
  const Result<TargetSpec> spec = parse_target_spec(target, UnknownKeys::refuse);
  ASSERT_TRUE(spec.has_value()) << spec.error().describe();
  EXPECT_FALSE(spec->benchmark.checks[0].compare_output);
  EXPECT_TRUE(spec->benchmark.checks[1].compare_output);
  EXPECT_TRUE(spec->benchmark.checks[2].compare_output);
}

TEST(TargetSpec, GitSourceIsChecked) {
  Json git = with(small_target(), "/source", Json{{"git", Json::object()}});
  git["source"]["git"] = Json{{"url", "--upload-pack=x"}, {"commit", "main"}};
  EXPECT_EQ(strictly(git), (Pointers{"/source/git/commit", "/source/git/url"}));
}

TEST(TargetSpec, WhatIsRequiredIsChecked) {
  Json target = small_target();
  target["requires"] = {{"labels", {{"", "x"}, {"rack", 1}}},
                        {"cpu", ""},
                        {"llvm", {0, 19}},
                        {"memory_mib", 0},
                        {"gpu", true}};
  EXPECT_EQ(strictly(target),
            (Pointers{"/requires/cpu", "/requires/gpu", "/requires/labels/",
                      "/requires/labels/rack", "/requires/llvm", "/requires/memory_mib"}));
  target["requires"] = {{"llvm", {19, 16, 19}}};
  EXPECT_EQ(parse_target_spec(target, UnknownKeys::refuse)->required.llvm,
            (std::vector<std::int64_t>{16, 19}));
}

// A target that was registered before there were requirements must not get another version.
TEST(TargetSpec, NothingRequiredIsLeftOut) {
  Json target = small_target();
  target["requires"] = Json::object();
  const Result<TargetSpec> spec = parse_target_spec(target, UnknownKeys::refuse);
  ASSERT_TRUE(spec.has_value()) << spec.error().describe();
  EXPECT_FALSE(to_json(*spec).contains("requires"));
}

}  // namespace
}  // namespace hone
