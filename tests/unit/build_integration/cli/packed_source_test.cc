#include "build_integration/cli/packed_source.h"

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/archive/unpack.h"
#include "common/base/environment.h"
#include "common/base/file.h"
#include "common/base/subprocess.h"

namespace hone {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

const std::string kKey = "-----BEGIN PRIVATE KEY-----\nMC4CAQ\n-----END PRIVATE KEY-----\n";

class PackedSourceTest : public testing::Test {
 protected:
  PackedSourceTest() : folder_(*TemporaryFolder::create("packed-source")) {
    target_.name = "tiny";
    target_.benchmark.inputs.resize(1);
    target_.benchmark.inputs[0].file = "./hone/text.bin";
    write("hone.yaml", "name: tiny\n");
    write("src/a.c", "int a;\n");
  }

  fs::path tree() const { return folder_.path() / "tree"; }
  void write(const std::string& name, const std::string& text) {
    fs::create_directories((tree() / name).parent_path());
    ASSERT_TRUE(write_file_atomically(tree() / name, text).has_value());
  }
  void git(std::vector<std::string> arguments) {
    Command command;
    command.arguments = {"git", "-c", "user.name=t", "-c", "user.email=t@t"};
    command.arguments.insert(command.arguments.end(), arguments.begin(), arguments.end());
    command.environment = current_environment();
    command.working_folder = tree();
    const Result<RunReport> report = run(command);
    ASSERT_TRUE(report.has_value() && report->ok()) << arguments.front();
  }
  // The names of the files in the archive, or the error.
  std::vector<std::string> pack(const PackOptions& options = {}) {
    const fs::path archive = folder_.path() / "a.tar.zst";
    const Result<PackedSource> packed = pack_source(tree(), archive, target_, options, {});
    if (!packed) {
      return {packed.error().describe()};
    }
    notes_ = packed->notes;
    const fs::path out = folder_.path() / "out";
    fs::remove_all(out);
    fs::create_directory(out);
    EXPECT_TRUE(unpack_archive(archive, out).has_value());
    std::vector<std::string> names;
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(out)) {
      if (!entry.is_directory()) {
        names.push_back(entry.path().lexically_relative(out).generic_string());
      }
    }
    std::sort(names.begin(), names.end());
    return names;
  }

  TemporaryFolder folder_;
  TargetSpec target_;
  std::vector<std::string> notes_;
};

TEST_F(PackedSourceTest, AFolderIsPackedWithoutItsSecrets) {
  write("hone.key", kKey);
  write("hone.token", "hone_" + std::string(64, 'f') + "\n");
  write("tiny.policy.seen", "tiny 3\n");
  EXPECT_THAT(pack(), ElementsAre("hone.yaml", "src/a.c"));
  EXPECT_THAT(notes_, ElementsAre(HasSubstr("hone.key was left out: it is or holds a private key"),
                                  HasSubstr("hone.token was left out")));
  EXPECT_THAT(pack({.secrets = {"hone.key"}}), ElementsAre("hone.key", "hone.yaml", "src/a.c"));
}

TEST_F(PackedSourceTest, OfACheckoutWhatGitTracksAndTheInputs) {
  git({"init", "-q"});
  write(".gitignore", "made/\nhone/*.bin\n");
  git({"add", "."});
  git({"commit", "-qm", "first"});
  write("src/a.c", "int changed;\n");
  write("src/staged.c", "int staged;\n");
  git({"add", "src/staged.c"});
  write("src/new.c", "int b;\n");
  write("notes.txt", "passwords I know\n");
  write("made/x.o", "x");
  write("hone/text.bin", "an input, ignored and named");
  write("hone/other.bin", "x");
  EXPECT_THAT(pack(),
              ElementsAre(".gitignore", "hone.yaml", "hone/text.bin", "src/a.c", "src/staged.c"));
  EXPECT_EQ(*read_file(folder_.path() / "out/src/a.c", 100), "int changed;\n");
  EXPECT_THAT(notes_, ElementsAre(HasSubstr("2 files that git does not track were left out "
                                            "(notes.txt, src/new.c)")));
  EXPECT_THAT(pack({.all_files = true}),
              ElementsAre(".gitignore", "hone.yaml", "hone/other.bin", "hone/text.bin", "made/x.o",
                          "notes.txt", "src/a.c", "src/new.c", "src/staged.c"));
  EXPECT_THAT(notes_, IsEmpty());
}

TEST_F(PackedSourceTest, AKeyThatGitTracksIsLeftOutToo) {
  write("ci/hone.key", kKey);
  git({"init", "-q"});
  git({"add", "."});
  EXPECT_THAT(pack(), ElementsAre("hone.yaml", "src/a.c"));
  EXPECT_THAT(notes_, ElementsAre(HasSubstr("ci/hone.key was left out")));
}

TEST_F(PackedSourceTest, WhereGitTracksNothingAllIsPacked) {
  write(".git", "gitdir: /nowhere/at/all\n");
  EXPECT_THAT(pack(), ElementsAre("hone.yaml", "src/a.c"));
  fs::remove(tree() / ".git");
  git({"init", "-q"});
  EXPECT_THAT(pack(), ElementsAre("hone.yaml", "src/a.c"));
}

}  // namespace
}  // namespace hone
