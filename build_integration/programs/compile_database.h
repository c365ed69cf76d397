// compile_commands.json, as CMake, Meson and bear write it: every translation unit of a product
// with its own flags. Thread safe.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "build_integration/programs/clang_compile.h"
#include "common/base/result.h"

namespace hone {

inline constexpr std::size_t kMaxCompileDatabaseBytes = std::size_t{256} << 20U;

struct TranslationUnit {
  // The source, relative to the root if it lies below it; one that is compiled several times is
  // NAME, NAME@2, NAME@3 in the order of the file.
  std::string name;
  std::filesystem::path source;  // absolute
  SourceKind kind = SourceKind::c;
  std::vector<std::string> flags;  // without what is about output, dependencies and link time
  std::filesystem::path folder;
};

class CompileDatabase {
 public:
  // `root` is what names are relative to. Entries that are not C or C++ (assembler) are left out.
  // invalid_argument with the entry's pointer and what would be right.
  static Result<CompileDatabase> parse(std::string_view text, const std::filesystem::path& root);
  // The same from a file, whose folder is the root unless another is given.
  static Result<CompileDatabase> read(const std::filesystem::path& file,
                                      const std::filesystem::path& root = {});

  const std::vector<TranslationUnit>& units() const { return units_; }
  // By name, or by the last parts of one that are no other's: "xxhash.c". not_found and
  // invalid_argument (several) list what there is.
  Result<TranslationUnit> find(std::string_view name) const;

 private:
  std::vector<TranslationUnit> units_;
};

}  // namespace hone
