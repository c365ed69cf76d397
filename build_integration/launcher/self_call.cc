#include "build_integration/launcher/self_call.h"

#include <stdlib.h>
#include <sys/stat.h>

#include <algorithm>
#include <vector>

#include "build_integration/launcher/compiler_identity.h"
#include "common/base/text.h"

namespace hone {
namespace {

constexpr const char* kVariable = "HONE_CALLING";
constexpr std::size_t kMaxNotes = 64;
constexpr std::ptrdiff_t kMaxCalls = 2;

std::string note_of(const std::string& program) {
  struct stat status{};
  return ::stat(program.c_str(), &status) == 0
             ? std::to_string(status.st_dev) + ',' + std::to_string(status.st_ino)
             : std::string();
}

void remember(std::vector<std::string_view> notes, std::string_view note) {
  notes.push_back(note);
  const std::size_t first = notes.size() > kMaxNotes ? notes.size() - kMaxNotes : 0;
  std::string text;
  for (std::size_t i = first; i < notes.size(); ++i) {
    text += text.empty() ? "" : ":";
    text += notes[i];
  }
  ::setenv(kVariable, text.c_str(), 1);
}

}  // namespace

Result<std::string> program_to_call(std::string_view name) {
  const char* const variable = ::getenv(kVariable);
  const std::string noted = variable == nullptr ? "" : variable;
  if (name.find('/') != std::string_view::npos) {
    return std::string();
  }
  std::vector<std::string_view> notes;
  if (!noted.empty()) {
    notes = split(noted, ':');
  }
  bool is_first = true;
  for (const std::string& program : find_programs(name)) {
    if (is_compiler_program(program)) {
      ::unsetenv(kVariable);
      return is_first ? std::string() : program;
    }
    const std::string note = note_of(program);
    if (std::ranges::count(notes, note) < kMaxCalls) {
      remember(std::move(notes), note);
      return is_first ? std::string() : program;
    }
    is_first = false;
  }
  if (is_first) {
    return std::string();  // there is none: running it says so
  }
  return fail(ErrorCode::unavailable, std::string(name) + " calls hone-cc for itself, for ever");
}

}  // namespace hone
