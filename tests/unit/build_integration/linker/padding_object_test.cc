// What we write is what binutils read; that linkers take it is shown by tests/linker.
#include "build_integration/linker/padding_object.h"

#include <elf.h>

#include <cstring>

#include <gtest/gtest.h>

#include "common/base/file.h"
#include "common/base/subprocess.h"

namespace hone {
namespace {

// The output of readelf, which must have nothing to complain about.
std::string readelf(const std::string& options, const std::string& object) {
  const Result<TemporaryFolder> folder = TemporaryFolder::create("padding-test");
  EXPECT_TRUE(folder.has_value());
  const auto file = folder->path() / "padding.o";
  EXPECT_TRUE(write_file_atomically(file, object).has_value());
  Command command;
  command.arguments = {"readelf", options, file.string()};
  command.environment = {"PATH=/usr/bin:/bin", "LANG=C"};
  const Result<RunReport> report = run(command);
  EXPECT_TRUE(report.has_value() && report->ok());
  EXPECT_EQ(report->stderr_text, "");
  return report->stdout_text;
}

const std::vector<PaddingPart> kParts = {{PaddedSection::text_hot, 32},
                                         {PaddedSection::text, 4096},
                                         {PaddedSection::data, 16},
                                         {PaddedSection::bss, 48}};

TEST(PaddingObject, HasASectionAndAHiddenSymbolForEachPart) {
  const std::string object = padding_object({EM_X86_64, 0, ""}, 7, kParts);
  const std::string sections = readelf("-SW", object);
  for (const char* line :
       {".text.hot         PROGBITS", ".text             PROGBITS", ".data             PROGBITS",
        ".bss              NOBITS", ".note.GNU-stack   PROGBITS"}) {
    EXPECT_NE(sections.find(line), std::string::npos) << line << " in\n" << sections;
  }
  EXPECT_EQ(sections.find("gnu.property"), std::string::npos);
  const std::string symbols = readelf("-sW", object);
  for (const char* line : {"   32 FUNC    GLOBAL HIDDEN     1 __hone_padding_7_0",
                           " 4096 FUNC    GLOBAL HIDDEN     2 __hone_padding_7_1",
                           "   16 OBJECT  GLOBAL HIDDEN     3 __hone_padding_7_2",
                           "   48 OBJECT  GLOBAL HIDDEN     4 __hone_padding_7_3"}) {
    EXPECT_NE(symbols.find(line), std::string::npos) << line << " in\n" << symbols;
  }
  EXPECT_EQ(padding_symbol(7, 3), "__hone_padding_7_3");
}

TEST(PaddingObject, AsksForNoExecutableStack) {
  const std::string sections = readelf("-SW", padding_object({EM_X86_64, 0, ""}, 0, kParts));
  const std::size_t at = sections.find(".note.GNU-stack");
  ASSERT_NE(at, std::string::npos);
  const std::string line = sections.substr(at, sections.find('\n', at) - at);
  EXPECT_EQ(line.find('X'), std::string::npos) << line;
}

TEST(PaddingObject, HasTheMachineAndPropertiesOfTheProgram) {
  // x86 feature: IBT, SHSTK.
  const std::string note(
      "\x04\0\0\0\x10\0\0\0\x05\0\0\0GNU\0\x02\0\0\xc0\x04\0\0\0\x03\0\0\0\0\0\0\0", 32);
  const std::string object = padding_object({EM_X86_64, 0, note}, 0, kParts);
  EXPECT_NE(readelf("-nW", object).find("IBT, SHSTK"), std::string::npos) << readelf("-nW", object);
  EXPECT_NE(readelf("-hW", padding_object({EM_AARCH64, 0, ""}, 0, kParts)).find("AArch64"),
            std::string::npos);
}

TEST(PaddingObject, NoTwoAreAlike) {
  EXPECT_NE(padding_object({EM_X86_64, 0, ""}, 0, kParts),
            padding_object({EM_X86_64, 0, ""}, 1, kParts));
}

TEST(ElfKind, IsThatOfARealProgram) {
  const Result<std::string> self = read_file("/proc/self/exe", std::size_t{1} << 30U);
  ASSERT_TRUE(self.has_value());
  const std::optional<ElfKind> kind = elf_kind_of(*self);
  ASSERT_TRUE(kind.has_value());
  Elf64_Ehdr header;
  std::memcpy(&header, self->data(), sizeof header);
  EXPECT_EQ(kind->machine, header.e_machine);
}

TEST(ElfKind, IsNothingForOtherFilesAndPartsOfOne) {
  EXPECT_FALSE(elf_kind_of("").has_value());
  EXPECT_FALSE(elf_kind_of("#!/bin/sh\n").has_value());
  EXPECT_FALSE(elf_kind_of(padding_object({EM_X86_64, 0, ""}, 0, kParts)).has_value())
      << "an object is no program";
  const Result<std::string> self = read_file("/bin/true", std::size_t{1} << 30U);
  ASSERT_TRUE(self.has_value());
  EXPECT_TRUE(elf_kind_of(*self).has_value());
  for (std::size_t size = 0; size < 300; ++size) {
    EXPECT_FALSE(elf_kind_of(std::string_view(*self).substr(0, size)).has_value()) << size;
  }
  std::string small = *self;
  small[EI_CLASS] = ELFCLASS32;
  EXPECT_FALSE(elf_kind_of(small).has_value());
}

}  // namespace
}  // namespace hone
