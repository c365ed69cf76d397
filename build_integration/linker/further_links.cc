#include "build_integration/linker/further_links.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <string_view>

#include "build_integration/linker/copy_command.h"
#include "build_integration/linker/elf_kind.h"
#include "common/base/environment.h"
#include "common/base/file.h"
#include "common/base/subprocess.h"
#include "common/links/link_copies.h"

namespace hone {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr std::size_t kMostBytesTogether = std::size_t{2} << 30U;

// Not write_file_atomically, which waits for the disk: nobody else reads these.
bool write_scratch(const fs::path& path, std::string_view content) {
  const UniqueFd file(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
  while (file && !content.empty()) {
    const ssize_t written = ::write(file.get(), content.data(), content.size());
    if (written <= 0) {
      return false;
    }
    content.remove_prefix(static_cast<std::size_t>(written));
  }
  return static_cast<bool>(file);
}

// What the plain link made, and for which kind of machine.
struct Linked {
  std::string content;
  Hash128 hash;
  ElfKind kind;
};

class Maker {
 public:
  Maker(const LinkCommand& link, const LinkSettings& settings, const Linked& linked,
        std::chrono::milliseconds one_link, fs::path scratch)
      : link_(link),
        settings_(settings),
        linked_(linked),
        one_link_(one_link),
        scratch_(std::move(scratch)),
        deadline_(Clock::now() + settings.time) {}

  // How many copies there are in the end.
  std::size_t run(std::string& why_not_more) {
    for (std::size_t number = 1; number <= settings_.copies; ++number) {
      if (number * linked_.content.size() > kMostBytesTogether) {
        why_not_more = "more copies would take over 2 GiB";
        return number - 1;
      }
      const std::string why = make(number);
      if (!why.empty()) {
        std::error_code ignored;
        fs::remove(link_copy(link_.output, number), ignored);
        why_not_more = "copy " + std::to_string(number) + " of it " + why;
        return number - 1;
      }
    }
    return settings_.copies;
  }

 private:
  // What went wrong, empty if nothing.
  std::string make(std::size_t number) {
    const std::vector<Padding> layout = draw_layout(settings_.program, number, link_.places.size());
    std::vector<std::string> paddings;
    for (std::size_t i = 0; i < layout.size(); ++i) {
      const fs::path file = scratch_ / ("padding-" + std::to_string(i) + ".o");
      if (!write_scratch(file, padding_object(linked_.kind, i, layout[i].parts))) {
        return "has no room for its padding";
      }
      paddings.push_back(file.string());
    }
    const std::string output = link_copy(link_.output, number).string();
    Command command;
    command.arguments = copy_command(link_, output, layout, paddings);
    if (link_.has_response_file && !shorten(command.arguments)) {
      return "has no room for its command";
    }
    command.environment = current_environment();
    command.capture_limit = 1024;
    command.limits.wall_time =
        std::chrono::duration_cast<std::chrono::milliseconds>(deadline_ - Clock::now());
    // Not begun rather than killed half-way, where the plain link tells how long one takes.
    if (command.limits.wall_time <= std::max(one_link_, std::chrono::milliseconds(0))) {
      return "would take too long: they have " + std::to_string(settings_.time.count() / 1000) +
             " s in all";
    }
    const Result<RunReport> report = hone::run(command);
    if (!report) {
      return "can't be linked: " + report.error().message;
    }
    if (!report->ok()) {
      return "can't be linked: " + report->describe_end();
    }
    const Result<std::string> content = read_file(output, kMaxLinkedBytes);
    if (!content) {
      return "can't be read: " + content.error().message;
    }
    return hash128(*content) == linked_.hash ? "is the same file: the linker leaves padding out"
                                             : "";
  }

  // The command with its arguments in a response file, as they were when they came to us.
  bool shorten(std::vector<std::string>& words) const {
    const auto arguments = words.begin() + static_cast<std::ptrdiff_t>(link_.arguments);
    const fs::path file = scratch_ / "arguments";
    if (!write_scratch(file, response_text({arguments, words.end()}))) {
      return false;
    }
    words.erase(arguments, words.end());
    words.push_back("@" + file.string());
    return true;
  }

  const LinkCommand& link_;
  const LinkSettings& settings_;
  const Linked& linked_;
  std::chrono::milliseconds one_link_;
  fs::path scratch_;
  Clock::time_point deadline_;
};

// The program, if it is one that padding objects can be made for.
std::optional<Linked> read_linked(const std::string& output, std::string& why) {
  std::error_code error;
  if (fs::symlink_status(output, error).type() != fs::file_type::regular) {
    why = "its link makes no file of its own";
    return std::nullopt;
  }
  Result<std::string> content = read_file(output, kMaxLinkedBytes);
  if (!content) {
    why = content.error().message;
    return std::nullopt;
  }
  const std::optional<ElfKind> kind = elf_kind_of(*content);
  if (!kind) {
    why = "it is no 64-bit ELF program";
    return std::nullopt;
  }
  const Hash128 hash = hash128(*content);
  return Linked{*std::move(content), hash, *kind};
}

}  // namespace

void drop_links(const LinkCommand& link, const std::string& why) {
  remove_link_copies(link.output);
  [[maybe_unused]] const Result<void> noted = note_link_copies(link.output, {}, 0, why);
}

void make_links(const LinkCommand& link, const LinkSettings& settings,
                std::chrono::milliseconds plain_link) {
  std::string why;
  std::size_t count = 0;
  Hash128 hash;
  if (const std::optional<Linked> linked = read_linked(link.output, why)) {
    hash = linked->hash;
    if (const Result<TemporaryFolder> scratch = TemporaryFolder::create("hone-link")) {
      count = Maker(link, settings, *linked, plain_link, scratch->path()).run(why);
    } else {
      why = scratch.error().message;
    }
  }
  [[maybe_unused]] const Result<void> noted = note_link_copies(link.output, hash, count, why);
}

}  // namespace hone
