// simdjson goes once over a line and makes nothing of it but what is asked for: with a document of
// its own for each row, reading took longer than the database and the network together.
#include "server/learner/buffer/row_reader.h"

#include <simdjson.h>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "common/json/document.h"
#include "server/learner/buffer/row_fields.h"

namespace hone {
namespace {

namespace json = simdjson::ondemand;

Error refused(std::string_view line, std::string_view what) {
  return fail(ErrorCode::invalid_argument, fmt::format("the line \"{}{}\" {}", line.substr(0, 60),
                                                       line.size() > 60 ? "..." : "", what));
}

template <class Row>
Result<void> read_row(json::parser& parser, std::string_view line, std::size_t capacity, Row& row) {
  json::document document;
  const simdjson::padded_string_view padded(line.data(), line.size(), capacity);
  reset(row);
  json::object object;
  if (parser.iterate(padded).get(document) != simdjson::SUCCESS ||
      document.get_object().get(object) != simdjson::SUCCESS) {
    return refused(line, "is no JSON object");
  }
  for (auto member : object) {
    std::string_view key;
    if (member.unescaped_key().get(key) != simdjson::SUCCESS) {
      return refused(line, "is no JSON object");
    }
    Field value = member.value();
    if (!take_field(key, value, row)) {
      return refused(line, fmt::format("has another value of \"{}\" than it can have", key));
    }
  }
  const char* behind = nullptr;
  if (document.current_location().get(behind) == simdjson::SUCCESS) {
    return refused(line, "goes on behind its JSON object");
  }
  return {};
}

}  // namespace

struct RowReader::Parser {
  json::parser parser;
};

RowReader::RowReader() : parser_(std::make_unique<Parser>()) {}
RowReader::~RowReader() = default;

void RowReader::begin(std::string_view lines) {
  // simdjson reads past the end of what it parses, up to so many bytes.
  lines_.reserve(lines.size() + simdjson::SIMDJSON_PADDING);
  lines_.assign(lines);
  rest_ = lines_;
}

bool RowReader::next() {
  if (rest_.empty()) {
    return false;
  }
  const std::size_t end = rest_.find('\n');
  line_ = rest_.substr(0, end);
  rest_ = end == std::string_view::npos ? std::string_view() : rest_.substr(end + 1);
  return true;
}

Result<void> RowReader::read(Experience& row) {
  const auto behind = static_cast<std::size_t>(line_.data() - lines_.data());
  return read_row(parser_->parser, line_, lines_.capacity() - behind, row);
}

Result<void> RowReader::read(SessionStep& row) {
  const auto behind = static_cast<std::size_t>(line_.data() - lines_.data());
  return read_row(parser_->parser, line_, lines_.capacity() - behind, row);
}

Result<std::vector<double>> feature_vector(std::string_view features, const std::string& space) {
  std::vector<double> numbers;
  if (features.empty()) {
    return numbers;
  }
  HONE_TRY(const Json document, parse_json(features));
  if (!document.is_object()) {
    return refused(features, "is no JSON object");
  }
  const auto found = document.find(space);
  if (found == document.end()) {
    return numbers;
  }
  if (found->is_number()) {
    numbers.push_back(found->get<double>());
  } else if (found->is_array()) {
    for (const Json& number : *found) {
      if (!number.is_number()) {
        return std::vector<double>();  // an observation that is no vector
      }
      numbers.push_back(number.get<double>());
    }
  }
  return numbers;
}

}  // namespace hone
