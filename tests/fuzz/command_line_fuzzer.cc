// Fuzzes the argument parser. Input: compiler, content of a response file, arguments, each ended by
// a zero; an argument "@" stands for the response file (which may name itself).
#include <sys/mman.h>
#include <unistd.h>

#include <string>
#include <vector>

#include "build_integration/launcher/command_line.h"
#include "build_integration/launcher/option_fingerprint.h"
#include "build_integration/launcher/option_table.h"
#include "build_integration/launcher/response_file.h"
#include "build_integration/launcher/source_root.h"
#include "tests/fuzz/check.h"
#include "tests/fuzz/input_bytes.h"

namespace hone {
namespace {

// A file in memory that is written anew for every input.
class ResponseFile {
 public:
  ResponseFile() : file_(::memfd_create("response", MFD_CLOEXEC)) { FUZZ_CHECK(file_ >= 0); }
  std::string argument() const { return "@/proc/self/fd/" + std::to_string(file_); }
  void write(const std::string& content) const {
    FUZZ_CHECK(::ftruncate(file_, 0) == 0);
    FUZZ_CHECK(::pwrite(file_, content.data(), content.size(), 0) ==
               static_cast<ssize_t>(content.size()));
  }

 private:
  int file_;
};

void check(const std::string& compiler, const std::vector<std::string>& arguments) {
  const CommandLine command = scan_command_line(compiler, arguments);
  if (command.refused == Reason::none) {
    // What may be tuned is one source to one object at a level that rules can name.
    FUZZ_CHECK(command.makes_object && !command.source.empty() && !command.output.empty());
    FUZZ_CHECK(!command.level.empty() && command.level != "O0");
    FUZZ_CHECK(command.output != "-" && command.source != "-");
  }
  const auto expanded = expand_response_files(arguments);
  if (!expanded.has_value()) {
    FUZZ_CHECK(command.refused != Reason::none);
    return;
  }
  // Nothing is invented: every option and its values stand in the command, in this order.
  std::size_t at = 0;
  const auto find = [&](const std::string& text) {
    while (at < expanded->size() && (*expanded)[at] != text) {
      ++at;
    }
    FUZZ_CHECK(at < expanded->size());
    ++at;
  };
  for (const Option& option : command.options) {
    find(option.text);
    FUZZ_CHECK(option.values.size() <= following_values(option.text));
    for (const std::string& value : option.values) {
      find(value);
    }
  }
  FUZZ_CHECK(option_fingerprint(command.options, SourceRoot("/root")).size() == 32);
}

}  // namespace
}  // namespace hone

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const hone::ResponseFile response_file;
  hone::InputBytes input(data, size);
  const std::string compiler = input.text();
  const std::string response = input.text();
  response_file.write(response);
  std::vector<std::string> arguments;
  while (!input.empty()) {
    std::string argument = input.text();
    arguments.push_back(argument == "@" ? response_file.argument() : std::move(argument));
  }
  hone::check(compiler, arguments);
  for (const std::string& argument : hone::split_response_file(response)) {
    FUZZ_CHECK(argument.size() <= response.size());
  }
  return 0;
}
