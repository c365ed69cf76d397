#include "staging/counters/energy_counter.h"

#include <charconv>
#include <string>

#include "common/base/file.h"
#include "common/base/text.h"

namespace hone {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPrefix = "intel-rapl:";  // AMD's, too
constexpr std::size_t kMaxLine = 256;

Result<std::uint64_t> read_number(const fs::path& file) {
  HONE_TRY(const std::string text, read_file(file, kMaxLine));
  const std::string_view digits = trim(text);
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (error != std::errc() || end != digits.data() + digits.size()) {
    return fail(ErrorCode::io_failed, file.string() + " holds no number");
  }
  return number;
}

// intel-rapl:0, not intel-rapl:0:1, which is a part of it.
bool is_zone(const std::string& name) {
  return name.starts_with(kPrefix) && name.find(':', kPrefix.size()) == std::string::npos;
}

bool is_package(const fs::path& folder) {
  const Result<std::string> name = read_file(folder / "name", kMaxLine);
  return name && name->starts_with("package-");
}

}  // namespace

Result<EnergyCounter> EnergyCounter::create(const fs::path& root) {
  EnergyCounter counter;
  std::error_code error;
  for (fs::directory_iterator entry(root, error), end; !error && entry != end;
       entry.increment(error)) {
    const fs::path folder = entry->path();
    if (!is_zone(folder.filename().string()) || !is_package(folder)) {
      continue;
    }
    Package package;
    package.folder = folder;
    const Result<std::uint64_t> range = read_number(folder / "max_energy_range_uj");
    const Result<std::uint64_t> energy = read_number(folder / "energy_uj");
    if (!range || !energy) {
      return fail(ErrorCode::unsupported,
                  (range ? energy : range).error().message +
                      ": only root may read it, unless the machine's owner allows it to others");
    }
    package.range = *range;
    counter.packages_.push_back(std::move(package));
  }
  if (counter.packages_.empty()) {
    return fail(ErrorCode::unsupported,
                "it shows no processor's energy (no package among " +
                    (root / (std::string(kPrefix) + "*")).string() +
                    "): virtual machines do not, and the kernel needs CONFIG_INTEL_RAPL");
  }
  return counter;
}

Result<void> EnergyCounter::start(Command& /*command*/, SandboxView& /*view*/) {
  for (Package& package : packages_) {
    HONE_TRY(package.before, read_number(package.folder / "energy_uj"));
  }
  return {};
}

Result<double> EnergyCounter::finish() {
  double joules = 0;
  for (const Package& package : packages_) {
    HONE_TRY(const std::uint64_t after, read_number(package.folder / "energy_uj"));
    const std::uint64_t used =
        after >= package.before ? after - package.before : after + package.range - package.before;
    joules += static_cast<double>(used) * 1e-6;
  }
  return joules;
}

}  // namespace hone
