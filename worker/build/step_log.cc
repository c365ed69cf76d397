#include "worker/build/step_log.h"

#include <algorithm>
#include <fstream>

#include "common/base/text.h"
#include "worker/artifacts/watched_run.h"

namespace hone {
namespace {

// The last `size` bytes of a text, cut at the start of a line if there is one.
std::string_view last_bytes(std::string_view text, std::size_t size) {
  if (text.size() <= size) {
    return text;
  }
  text.remove_prefix(text.size() - size);
  const std::size_t line = text.find('\n');
  return line != std::string_view::npos && line + 1 < text.size() ? text.substr(line + 1) : text;
}

std::string file_tail(const std::filesystem::path& path, std::size_t size) {
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  if (!file) {
    return {};
  }
  const auto all = static_cast<std::streamoff>(file.tellg());
  const std::streamoff from = std::max<std::streamoff>(0, all - static_cast<std::streamoff>(size));
  file.seekg(from);
  std::string text(static_cast<std::size_t>(all - from), '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(file.gcount()));
  return from > 0 ? std::string(last_bytes(text, size - 1)) : text;
}

}  // namespace

Result<SandboxReport> StepLog::run(Command command, const Sandbox& sandbox, const SandboxView& view,
                                   const std::stop_token& stop) {
  append("$ " + join(command.arguments, " ") + "\n");
  command.stdout_file = file_;
  command.stderr_file = file_;
  Result<SandboxReport> report = run_watched(command, sandbox, view, limits_, stop);
  last_ = report ? file_tail(file_, kLogTail) : report.error().message + "\n";
  append(last_);
  return report;
}

void StepLog::append(std::string_view text) {
  tail_ += text;
  if (tail_.size() > kLogTail) {
    tail_ = std::string(last_bytes(tail_, kLogTail));
  }
}

std::string StepLog::last_words(std::size_t size) const {
  return std::string(last_bytes(trim(last_), size));
}

}  // namespace hone
