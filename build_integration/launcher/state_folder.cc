#include "build_integration/launcher/state_folder.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>

#include "build_integration/launcher/held_signal.h"
#include "common/base/file.h"

namespace hone {
namespace {

constexpr std::size_t kMaxNote = 65536;

std::string_view folder_name(StateKind kind) {
  switch (kind) {
    case StateKind::compilers:
      return "/compilers";
    case StateKind::failures:
      return "/failures";
    case StateKind::untunable:
      return "/untunable";
  }
  return "/untunable";
}

void make_folders(const std::string& path) {
  if (::mkdir(path.c_str(), 0777) == 0 || errno != ENOENT) {
    return;
  }
  const std::size_t slash = path.rfind('/');
  if (slash != std::string::npos && slash > 0) {
    make_folders(path.substr(0, slash));
    ::mkdir(path.c_str(), 0777);
  }
}

}  // namespace

std::string StateFolder::note(StateKind kind, const std::string& key) const {
  std::string path = path_;
  path += folder_name(kind);
  path += '/';
  path += key;
  return path;
}

std::string StateFolder::read(StateKind kind, const std::string& key) const {
  if (!exists()) {
    return {};
  }
  Result<std::string> content = read_file(note(kind, key), kMaxNote);
  return content.has_value() ? *std::move(content) : std::string();
}

void StateFolder::write(StateKind kind, const std::string& key, std::string_view content) const {
  if (!exists()) {
    return;
  }
  const HeldSignal no_file_limit(SIGXFSZ);
  const std::string path = note(kind, key);
  // Created under a name of its own, then renamed: nobody reads half a note. No sync: a note lost
  // in a power cut is asked for again.
  const std::string beside = path + '.' + std::to_string(::getpid());
  UniqueFd file(::open(beside.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666));
  if (!file && errno == ENOENT) {
    make_folders(path_ + std::string(folder_name(kind)));
    file = UniqueFd(::open(beside.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666));
  }
  if (!file) {
    return;
  }
  if (::write(file.get(), content.data(), content.size()) != static_cast<ssize_t>(content.size()) ||
      ::rename(beside.c_str(), path.c_str()) != 0) {
    ::unlink(beside.c_str());
  }
}

void StateFolder::append_to(const std::string& file, std::string_view content) const {
  const HeldSignal no_file_limit(SIGXFSZ);
  constexpr int kFlags = O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC;
  UniqueFd descriptor(::open(file.c_str(), kFlags, 0666));
  if (!descriptor && errno == ENOENT) {
    make_folders(file.substr(0, file.rfind('/')));
    descriptor = UniqueFd(::open(file.c_str(), kFlags, 0666));
  }
  if (descriptor) {
    // One write: lines of launchers that run at once do not mix. A full disk loses the line.
    [[maybe_unused]] const ssize_t written =
        ::write(descriptor.get(), content.data(), content.size());
  }
}

void StateFolder::append(StateKind kind, const std::string& key, std::string_view content) const {
  if (exists()) {
    append_to(note(kind, key), content);
  }
}

void StateFolder::append_log(std::string_view line) const {
  if (exists()) {
    append_to(path_ + "/compiles.ndjson", line);
  }
}

std::size_t StateFolder::reset() const {
  std::size_t removed = 0;
  for (const StateKind kind : {StateKind::compilers, StateKind::failures, StateKind::untunable}) {
    const std::string folder = path_ + std::string(folder_name(kind));
    DIR* const listing = ::opendir(folder.c_str());
    if (listing == nullptr) {
      continue;
    }
    while (const dirent* entry = ::readdir(listing)) {
      const std::string file = folder + "/" + entry->d_name;
      if (entry->d_name[0] != '.' && ::unlink(file.c_str()) == 0) {
        ++removed;
      }
    }
    ::closedir(listing);
  }
  return removed;
}

}  // namespace hone
