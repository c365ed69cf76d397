#include "server/learner/buffer/sample_batches.h"

#include <cerrno>
#include <cmath>

#include <fmt/format.h>

#include "common/base/file.h"

namespace hone {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kFileBytes = std::uint64_t{64} << 20U;
constexpr std::size_t kMaxActions = 1'000'000;

// A column: `"name":[...]`, an element each by write(row, text).
template <class Write>
void column(std::string& text, std::string_view name, const std::vector<SampleRow>& rows,
            const Write& write) {
  fmt::format_to(std::back_inserter(text), ",\"{}\":[", name);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    text += i > 0 ? "," : "";
    write(rows[i], text);
  }
  text += "]";
}

template <class Value>
void numbers(std::string& text, std::string_view name, const std::vector<SampleRow>& rows,
             const Value& value) {
  column(text, name, rows, [&](const SampleRow& row, std::string& to) {
    fmt::format_to(std::back_inserter(to), "{}", value(row));
  });
}

void vectors(std::string& text, std::string_view name, const std::vector<SampleRow>& rows,
             std::vector<double> SampleRow::* member, std::size_t size) {
  column(text, name, rows, [&](const SampleRow& row, std::string& to) {
    const std::vector<double>& vector = row.*member;
    to += "[";
    for (std::size_t i = 0; i < size; ++i) {
      fmt::format_to(std::back_inserter(to), "{}{}", i > 0 ? "," : "",
                     vector.empty() ? 0.0 : vector[i]);
    }
    to += "]";
  });
}

}  // namespace

Result<std::int64_t> ActionTable::number_of(const std::string& action) {
  const auto [place, added] = numbers_.try_emplace(action, numbers_.size());
  if (added && numbers_.size() > kMaxActions) {
    return fail(ErrorCode::too_large,
                fmt::format("there are more than {} different actions: export fewer rows "
                            "(--since), or as --format ndjson",
                            kMaxActions));
  }
  return place->second;
}

std::vector<std::string> ActionTable::list() const {
  std::vector<std::string> actions(numbers_.size());
  for (const auto& [action, number] : numbers_) {
    actions[static_cast<std::size_t>(number)] = action;
  }
  return actions;
}

Result<SampleBatchWriter> SampleBatchWriter::create(const fs::path& folder, const std::string& name,
                                                    std::size_t obs_size) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) {
    return system_error("cannot make " + folder.string(), error.value());
  }
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    const std::string file = entry.path().filename().string();
    if (file.starts_with(name + "-") && file.ends_with(".json")) {
      fs::remove(entry.path(), error);
    }
  }
  SampleBatchWriter writer;
  writer.folder_ = folder;
  writer.name_ = name;
  writer.obs_size_ = obs_size;
  return writer;
}

Result<void> SampleBatchWriter::open_next() {
  HONE_CHECK(finish());
  const fs::path path = folder_ / fmt::format("{}-{:05}.json", name_, files_++);
  file_.open(path, std::ios::binary | std::ios::trunc);
  file_bytes_ = 0;
  return file_ ? Result<void>() : system_error("cannot write " + path.string(), errno);
}

Result<void> SampleBatchWriter::write(const std::vector<SampleRow>& rows) {
  if (rows.empty()) {
    return {};
  }
  for (const SampleRow& row : rows) {
    const bool fits = (row.obs.empty() || row.obs.size() == obs_size_) &&
                      (row.new_obs.empty() || row.new_obs.size() == obs_size_);
    if (!fits) {
      return fail(ErrorCode::invalid_argument,
                  fmt::format("an observation has {} numbers, the first one had {}",
                              row.obs.empty() ? row.new_obs.size() : row.obs.size(), obs_size_));
    }
    without_reward_ += row.reward ? 0 : 1;
  }
  std::string text = R"({"type":"SampleBatch")";
  vectors(text, "obs", rows, &SampleRow::obs, obs_size_);
  vectors(text, "new_obs", rows, &SampleRow::new_obs, obs_size_);
  numbers(text, "obs_known", rows, [](const SampleRow& row) { return row.obs.empty() ? 0 : 1; });
  numbers(text, "new_obs_known", rows,
          [](const SampleRow& row) { return row.new_obs.empty() ? 0 : 1; });
  numbers(text, "actions", rows, [](const SampleRow& row) { return row.action; });
  numbers(text, "rewards", rows, [](const SampleRow& row) { return row.reward.value_or(0); });
  numbers(text, "reward_known", rows, [](const SampleRow& row) { return row.reward ? 1 : 0; });
  numbers(text, "action_logp", rows,
          [](const SampleRow& row) { return row.action_logp.value_or(-1e30); });
  numbers(text, "action_prob", rows,
          [](const SampleRow& row) { return row.action_logp ? std::exp(*row.action_logp) : 0.0; });
  numbers(text, "action_logp_known", rows,
          [](const SampleRow& row) { return row.action_logp ? 1 : 0; });
  numbers(text, "terminateds", rows, [](const SampleRow& row) { return row.terminated; });
  numbers(text, "truncateds", rows, [](const SampleRow& row) { return row.truncated; });
  numbers(text, "eps_id", rows, [](const SampleRow& row) { return row.eps_id; });
  numbers(text, "unroll_id", rows, [](const SampleRow& row) { return row.unroll_id; });
  numbers(text, "agent_index", rows, [](const SampleRow&) { return 0; });
  numbers(text, "t", rows, [](const SampleRow& row) { return row.t; });
  column(text, "infos", rows, [](const SampleRow& row, std::string& to) { to += row.info; });
  text += "}\n";
  if (!file_.is_open() || file_bytes_ >= kFileBytes) {
    HONE_CHECK(open_next());
  }
  file_.write(text.data(), static_cast<std::streamsize>(text.size()));
  if (!file_) {
    return system_error("cannot write to " + folder_.string(), errno);
  }
  file_bytes_ += text.size();
  rows_ += rows.size();
  ++batches_;
  return {};
}

Result<void> SampleBatchWriter::finish() {
  if (!file_.is_open()) {
    return {};
  }
  file_.close();
  return file_ ? Result<void>() : system_error("cannot write to " + folder_.string(), errno);
}

std::int64_t episode_number(std::string_view uuid) {
  std::int64_t number = 0;
  int digits = 0;
  for (const char c : uuid) {
    const bool decimal = c >= '0' && c <= '9';
    if (!decimal && (c < 'a' || c > 'f')) {
      continue;
    }
    number = number * 16 + (decimal ? c - '0' : c - 'a' + 10);
    if (++digits == 13) {
      break;
    }
  }
  return number;
}

}  // namespace hone
