// Holds the parameters of a pass against what its row of the action table allows.
#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/text.h"
#include "common/pipelines/action_table.h"

namespace hone {
namespace {

Error parameter_error(const PassEntry& entry, std::string_view parameters, std::string_view why) {
  return fail(ErrorCode::invalid_argument,
              std::string(entry.name) + "<" + std::string(parameters) + ">: " + std::string(why));
}

// Whether the decimal `digits` are a number in [low, high], written as printed: no sign, no zeros.
bool is_number_within(std::string_view digits, int low, int high) {
  if (digits.empty() || digits.size() > 6 || (digits.size() > 1 && digits.front() == '0')) {
    return false;
  }
  int value = 0;
  for (const char c : digits) {
    if (c < '0' || c > '9') {
      return false;
    }
    value = value * 10 + (c - '0');
  }
  return low <= value && value <= high;
}

bool matches(const PassOption& option, std::string_view text) {
  switch (option.kind) {
    case OptionKind::text:
      return text == option.name;
    case OptionKind::flag:
      return text == option.name || (text.starts_with("no-") && text.substr(3) == option.name);
    case OptionKind::number:
      return text.size() > option.name.size() && text.starts_with(option.name) &&
             text[option.name.size()] == '=' &&
             is_number_within(text.substr(option.name.size() + 1), option.low, option.high);
  }
  return false;
}

std::string describe(const PassOption& option) {
  switch (option.kind) {
    case OptionKind::text:
      return std::string(option.name);
    case OptionKind::flag:
      return "[no-]" + std::string(option.name);
    case OptionKind::number:
      return std::string(option.name) + "=" + std::to_string(option.low) + ".." +
             std::to_string(option.high);
  }
  return {};
}

std::string describe_allowed(const PassEntry& entry) {
  std::vector<std::string> allowed;
  for (const std::string_view text : entry.texts) {
    allowed.push_back(text.empty() ? "none" : std::string(text));
  }
  for (const PassOption& option : entry.options) {
    allowed.push_back(describe(option));
  }
  return allowed.empty() ? "it takes no parameters" : "allowed: " + join(allowed, ", ");
}

}  // namespace

Result<void> check_parameters(const PassEntry& entry,
                              const std::optional<std::string>& parameters) {
  std::string_view text = parameters ? std::string_view(*parameters) : std::string_view();
  if (entry.texts.empty() && entry.options.empty()) {
    if (parameters) {
      return parameter_error(entry, text, "it takes no parameters");
    }
    return {};
  }
  if (text.size() > 1 && text.ends_with(';')) {
    text.remove_suffix(1);
  }
  if (std::ranges::find(entry.texts, text) != entry.texts.end()) {
    return {};
  }
  if (entry.options.empty()) {
    return parameter_error(entry, text, describe_allowed(entry));
  }
  std::vector<const PassOption*> seen;
  bool has_required = entry.required_option.empty();
  if (!text.empty()) {
    for (const std::string_view piece : split(text, ';')) {
      const auto option = std::ranges::find_if(
          entry.options, [&](const PassOption& candidate) { return matches(candidate, piece); });
      if (option == entry.options.end()) {
        return parameter_error(
            entry, text, "'" + std::string(piece) + "' is not allowed; " + describe_allowed(entry));
      }
      if (std::ranges::find(seen, &*option) != seen.end()) {
        return parameter_error(entry, text, "'" + std::string(option->name) + "' is given twice");
      }
      seen.push_back(&*option);
      has_required = has_required || piece == entry.required_option;
    }
  }
  if (!has_required) {
    return parameter_error(entry, text,
                           "'" + std::string(entry.required_option) + "' must be given");
  }
  return {};
}

}  // namespace hone
