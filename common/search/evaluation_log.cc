#include "common/search/evaluation_log.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

#include <nlohmann/json.hpp>

#include "common/base/file.h"
#include "common/base/text.h"
#include "common/json/object_reader.h"

namespace hone {
namespace {

constexpr std::size_t kMaxLogBytes = std::size_t{1} << 30U;
constexpr double kHuge = 1e18;
constexpr std::string_view kFormat = "hone-evaluations/1";

Hash128 key_of(const Sequence& sequence) {
  std::string text;
  for (const std::string& pipeline : sequence) {
    text += pipeline + "\n";
  }
  return hash128(text);
}

Result<void> append(const std::filesystem::path& file, const Json& document) {
  const std::string line = dump_json(document) + "\n";
  const int descriptor = open(file.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  if (descriptor < 0) {
    return system_error(file.string(), errno);
  }
  const off_t before = lseek(descriptor, 0, SEEK_END);
  const ssize_t written = write(descriptor, line.data(), line.size());
  const int failed = written < 0 ? errno : ENOSPC;
  if (written > 0 && written != static_cast<ssize_t>(line.size())) {
    // The part of a line would spoil the next one; if it stays, open() takes the last one away.
    (void)!ftruncate(descriptor, before);
  }
  close(descriptor);
  if (written != static_cast<ssize_t>(line.size())) {
    return system_error(file.string(), failed);
  }
  return {};
}

Result<EvaluatedSequence> read_line(std::string_view line) {
  HONE_TRY(const Json document, parse_json(line));
  Problems problems;
  ObjectReader reader(document, "", problems, UnknownKeys::ignore);
  EvaluatedSequence read;
  read.sequence = reader.text_list("pipelines", 100'000, {.max_size = 64U << 10U});
  Evaluation& evaluation = read.evaluation;
  evaluation.cost = reader.optional_number("cost", 0, kHuge);
  evaluation.failure = reader.optional_text("failure", {.max_size = 64U << 10U}).value_or("");
  if (auto error = problems.as_error("evaluation")) {
    return *std::move(error);
  }
  return read;
}

Result<void> check_head(std::string_view line, const std::string& subject) {
  HONE_TRY(const Json document, parse_json(line));
  Problems problems;
  ObjectReader reader(document, "", problems, UnknownKeys::ignore);
  const std::string format = reader.text("format");
  const std::string found = reader.text("subject", {.max_size = 64U << 10U});
  if (auto error = problems.as_error("head of an evaluation log")) {
    return *std::move(error);
  }
  if (format != kFormat || found != subject) {
    return fail(ErrorCode::conflict,
                "holds evaluations of '" + found + "', not of '" + subject + "'");
  }
  return {};
}

}  // namespace

Result<EvaluationLog> EvaluationLog::open(const std::filesystem::path& file,
                                          const std::string& subject) {
  EvaluationLog log;
  log.file_ = file;
  const Result<std::string> text = read_file(file, kMaxLogBytes);
  if (!text && text.error().code != ErrorCode::not_found) {
    return text.error();
  }
  if (!text || text->empty()) {
    HONE_CHECK(append(file, {{"format", kFormat}, {"subject", subject}}));
    return log;
  }
  std::vector<std::string_view> lines = split(*text, '\n');
  const bool cut_short = !lines.back().empty();
  lines.pop_back();
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::string where = file.string() + ", line " + std::to_string(i + 1);
    if (i == 0) {
      const Result<void> head = check_head(lines[i], subject);
      if (!head) {
        return head.error().within(where);
      }
      continue;
    }
    Result<EvaluatedSequence> known = read_line(lines[i]);
    if (!known) {
      return known.error().within(where);
    }
    log.known_.emplace(key_of(known->sequence), std::move(known->evaluation));
  }
  if (cut_short) {
    // What follows must begin a line of its own.
    const std::size_t whole = text->rfind('\n') == std::string::npos ? 0 : text->rfind('\n') + 1;
    std::error_code failed;
    std::filesystem::resize_file(file, whole, failed);
    if (failed) {
      return system_error(file.string(), failed.value());
    }
    if (whole == 0) {
      HONE_CHECK(append(file, {{"format", kFormat}, {"subject", subject}}));
    }
  }
  return log;
}

Result<std::vector<EvaluatedSequence>> EvaluationLog::read(const std::filesystem::path& file) {
  HONE_TRY(const std::string text, read_file(file, kMaxLogBytes));
  std::vector<std::string_view> lines = split(text, '\n');
  lines.pop_back();  // what stands behind the last end of a line
  std::vector<EvaluatedSequence> all;
  // The first line is the head.
  for (std::size_t i = 1; i < lines.size(); ++i) {
    Result<EvaluatedSequence> known = read_line(lines[i]);
    if (!known) {
      return known.error().within(file.string() + ", line " + std::to_string(i + 1));
    }
    all.push_back(*std::move(known));
  }
  return all;
}

std::optional<Evaluation> EvaluationLog::find(const Sequence& sequence) const {
  const auto known = known_.find(key_of(sequence));
  return known == known_.end() ? std::nullopt : std::optional(known->second);
}

Result<void> EvaluationLog::add(const Sequence& sequence, const Evaluation& evaluation) {
  known_[key_of(sequence)] = evaluation;
  if (file_.empty()) {
    return {};
  }
  Json document = {{"pipelines", sequence}};
  document["cost"] = evaluation.cost ? Json(*evaluation.cost) : Json();
  if (!evaluation.failure.empty()) {
    document["failure"] = evaluation.failure;
  }
  return append(file_, document);
}

}  // namespace hone
