#include "build_integration/cli/verdict_words.h"

#include <utility>
#include <vector>

#include <fmt/format.h>

#include "common/base/text.h"

namespace hone {
namespace {

// For a verdict of faster, and of slower.
std::pair<const char*, const char*> better_and_worse(Metric metric) {
  switch (metric) {
    case Metric::cpu_time:
    case Metric::wall_time:
    case Metric::compile_time:
      return {"faster", "slower"};
    case Metric::printed:
      return {"better", "worse"};
    case Metric::peak_rss_bytes:
    case Metric::text_bytes:
    case Metric::binary_bytes:
      return {"smaller", "larger"};
    case Metric::instructions:
    case Metric::hardware_instructions:
    case Metric::cycles:
      return {"fewer", "more"};
    case Metric::energy:
      return {"less", "more"};
  }
  return {"better", "worse"};
}

// A whole number in groups of three digits.
std::string grouped(double value) {
  std::string digits = fmt::format("{:.0f}", value);
  for (std::size_t at = digits.size(); at > 3;) {
    at -= 3;
    digits.insert(at, ",");
  }
  return digits;
}

}  // namespace

std::string verdict_word(Verdict verdict, Metric metric) {
  if (verdict == Verdict::faster) {
    return better_and_worse(metric).first;
  }
  if (verdict == Verdict::slower) {
    return better_and_worse(metric).second;
  }
  return std::string(to_string(verdict));
}

std::string state_word(const JobView& job) {
  return job.late ? "late" : std::string(to_string(job.state));
}

std::string reason_line(std::string_view reason) {
  const std::vector<std::string_view> lines = split(trim(reason), '\n');
  std::string first(trim(lines.front()));
  if (!first.ends_with(':')) {
    return first;
  }
  std::string_view said;
  for (std::size_t i = 1; i < lines.size(); ++i) {
    const std::string_view line = trim(lines[i]);
    const bool tells = line.find("error") != std::string_view::npos ||
                       line.find("Error") != std::string_view::npos ||
                       line.find("undefined reference") != std::string_view::npos;
    if (tells) {
      said = line;
      break;
    }
    said = line.empty() ? said : line;
  }
  return said.empty() ? first : first + " " + std::string(said);
}

std::string value_text(Metric metric, double value) {
  switch (metric) {
    case Metric::cpu_time:
    case Metric::wall_time:
    case Metric::compile_time:
      break;
    case Metric::printed:
      return fmt::format("{:g}", value);
    case Metric::peak_rss_bytes:
      return fmt::format("{:.1f} MiB", value / 1048576.0);
    case Metric::text_bytes:
    case Metric::binary_bytes:
      return grouped(value) + " bytes";
    case Metric::instructions:
    case Metric::hardware_instructions:
    case Metric::cycles:
      return grouped(value);
    case Metric::energy:
      return fmt::format("{:.3f} J", value);
  }
  return value < 1 ? fmt::format("{:.2f} ms", value * 1e3) : fmt::format("{:.3f} s", value);
}

}  // namespace hone
