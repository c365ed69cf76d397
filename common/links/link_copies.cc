// The note is two lines:
//   hone-links/1 HASH COUNT        HASH: 32 hexadecimal digits (hash.h)
//   why there are not more         may be empty
#include "common/links/link_copies.h"

#include <charconv>
#include <vector>

#include "common/base/file.h"
#include "common/base/text.h"

namespace hone {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kFormat = "hone-links/1";
constexpr std::size_t kMaxNote = 4096;
constexpr std::size_t kMaxWhy = 500;

fs::path note_of(const fs::path& program) {
  return program.string() + ".hone-links";
}

// Not what a link leads to, and no pipe that would have its reader wait.
bool is_file(const fs::path& path) {
  std::error_code error;
  return fs::symlink_status(path, error).type() == fs::file_type::regular;
}

bool can_run(const fs::path& path) {
  std::error_code error;
  return is_file(path) &&
         (fs::status(path, error).permissions() & fs::perms::owner_exec) == fs::perms::owner_exec;
}

LinkCopies none(std::string why) {
  return {0, std::move(why)};
}

}  // namespace

fs::path link_copy(const fs::path& program, std::size_t number) {
  return program.string() + ".hone-link-" + std::to_string(number);
}

void remove_link_copies(const fs::path& program) {
  std::error_code ignored;
  fs::remove(note_of(program), ignored);
  for (std::size_t number = 1; number < kMaxLinks; ++number) {
    fs::remove(link_copy(program, number), ignored);
  }
}

Result<void> note_link_copies(const fs::path& program, Hash128 hash, std::size_t count,
                              std::string_view why_not_more) {
  std::string why(why_not_more.substr(0, kMaxWhy));
  for (char& c : why) {
    c = c == '\n' ? ' ' : c;
  }
  return write_file_atomically(note_of(program), std::string(kFormat) + " " + to_hex(hash) + " " +
                                                     std::to_string(count) + "\n" + why + "\n");
}

LinkCopies read_link_copies(const fs::path& program) {
  if (!is_file(note_of(program))) {
    return none("its link did not pass through hone-link");
  }
  const Result<std::string> note = read_file(note_of(program), kMaxNote);
  if (!note) {
    return none(note.error().message);
  }
  const std::vector<std::string_view> lines = split(*note, '\n');
  const std::vector<std::string_view> words = split(lines.front(), ' ');
  std::size_t count = 0;
  if (lines.size() < 2 || words.size() != 3 || words[0] != kFormat ||
      std::from_chars(words[2].data(), words[2].data() + words[2].size(), count).ec !=
          std::errc() ||
      count >= kMaxLinks) {
    return none("the note beside it is of another version of hone-link");
  }
  const std::string why(lines[1]);
  if (count == 0) {
    return none(why);
  }
  const Result<std::string> content = is_file(program)
                                          ? read_file(program, kMaxLinkedBytes)
                                          : fail(ErrorCode::not_found, "it is no file of its own");
  if (!content) {
    return none(content.error().message);
  }
  if (to_hex(hash128(*content)) != words[1]) {
    return none("it was changed after its link");
  }
  for (std::size_t number = 1; number <= count; ++number) {
    if (!can_run(link_copy(program, number))) {
      return {number - 1, "copy " + std::to_string(number) + " of it is gone"};
    }
  }
  return {count, why};
}

}  // namespace hone
