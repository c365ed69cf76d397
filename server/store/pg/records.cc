#include "server/store/pg/records.h"

#include <charconv>

#include <nlohmann/json.hpp>

#include "common/policy/policy_json.h"

namespace hone {
namespace {

Error bad_parameter(std::string_view field, std::string detail) {
  Error error = fail(ErrorCode::invalid_argument, "bad parameter");
  error.fields.push_back({std::string(field), std::move(detail)});
  return error;
}

template <class Number>
bool parse_whole(std::string_view text, Number& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc{} && end == text.data() + text.size() && value >= 0;
}

// What we wrote ourselves and now cannot read is a bug of ours.
[[noreturn]] void unreadable(const Error& error) {
  throw std::logic_error("stored document: " + error.describe());
}

template <class T>
std::vector<T> list_from_json(const Json& list, std::string_view what, T (*read)(ObjectReader&)) {
  std::vector<T> items;
  Problems problems;
  for (const Json& item : list) {
    ObjectReader reader(item, "", problems, UnknownKeys::ignore);
    items.push_back(read(reader));
  }
  if (const auto error = problems.as_error(what)) {
    unreadable(*error);
  }
  return items;
}

}  // namespace

bool is_uuid(std::string_view text) {
  if (text.size() != 36) {
    return false;
  }
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const bool hexadecimal =
        (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
    const bool dash = i == 8 || i == 13 || i == 18 || i == 23;
    if (dash ? c != '-' : !hexadecimal) {
      return false;
    }
  }
  return true;
}

Error no_such(std::string_view what, std::string_view id) {
  return fail(ErrorCode::not_found, "no " + std::string(what) + " '" + std::string(id) + "'");
}

std::string reward_columns(std::string_view alias, std::string_view prefix) {
  std::string columns;
  for (const std::string_view end :
       {"", "_low", "_high", "_confidence", "_pairs", "_detectable_effect", "_noise"}) {
    const std::string column = "reward" + std::string(end);
    columns += columns.empty() ? "" : ", ";
    columns.append(alias).append(".").append(column).append(" AS ").append(prefix).append(column);
  }
  return columns;
}

std::optional<RewardEstimate> read_reward(const PgRow& row, std::string_view prefix) {
  const std::string name = std::string(prefix) + "reward";
  if (row.is_null(name.c_str())) {
    return std::nullopt;
  }
  const auto number = [&](const char* end) { return row.number((name + end).c_str()); };
  RewardEstimate reward;
  reward.value = number("");
  reward.low = number("_low");
  reward.high = number("_high");
  reward.confidence = number("_confidence");
  reward.pairs = row.integer((name + "_pairs").c_str());
  reward.detectable_effect = number("_detectable_effect");
  reward.noise = number("_noise");
  return reward;
}

std::vector<Rule> rules_from_json(const Json& list) {
  return list_from_json(list, "rules", read_rule);
}

std::vector<WorkerCheck> worker_checks_from_json(const Json& list) {
  return list_from_json(list, "checks", read_worker_check);
}

MachineInfo machine_from_json(const Json& document) {
  // A worker may leave out what it does not know, so what is missing stays at its default.
  Problems problems;
  ObjectReader reader(document, "", problems, UnknownKeys::ignore);
  return read_machine(reader);
}

TargetSpec target_spec_from_json(const Json& document) {
  Result<TargetSpec> spec = parse_target_spec(document, UnknownKeys::ignore);
  if (!spec) {
    unreadable(spec.error());
  }
  return *std::move(spec);
}

SourceProfile source_profile_from_json(const Json& document) {
  Problems problems;
  ObjectReader reader(document, "", problems, UnknownKeys::ignore);
  SourceProfile profile = read_source_profile(reader);
  if (const std::optional<Error> error = problems.as_error("source profile")) {
    unreadable(*error);
  }
  return profile;
}

Result<void> check_limit(const PageRequest& page) {
  if (page.limit < 1 || page.limit > kMaxPageSize) {
    return bad_parameter("/limit", "must be from 1 to " + std::to_string(kMaxPageSize));
  }
  return {};
}

Result<std::optional<std::int64_t>> number_cursor(const PageRequest& page) {
  HONE_CHECK(check_limit(page));
  if (page.cursor.empty()) {
    return std::optional<std::int64_t>();
  }
  std::int64_t number = 0;
  if (!parse_whole(page.cursor, number)) {
    return bad_parameter("/cursor", "is no cursor of this list");
  }
  return std::optional<std::int64_t>(number);
}

Result<StreamCursor> parse_stream_cursor(std::string_view text, std::string_view field) {
  StreamCursor cursor;
  if (text.empty()) {
    return cursor;
  }
  const std::size_t dash = text.find('-');
  if (dash == std::string_view::npos || !parse_whole(text.substr(0, dash), cursor.transaction) ||
      !parse_whole(text.substr(dash + 1), cursor.number)) {
    return bad_parameter(field, "is no cursor of this stream");
  }
  return cursor;
}

std::string to_text(const StreamCursor& cursor) {
  return std::to_string(cursor.transaction) + "-" + std::to_string(cursor.number);
}

StreamCursor read_stream_cursor(const PgRow& row) {
  return {row.unsigned_integer("transaction"), row.integer("number")};
}

}  // namespace hone
