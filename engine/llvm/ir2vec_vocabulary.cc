#include "engine/llvm/ir2vec_vocabulary.h"

#include <charconv>
#include <cmath>

#include "common/base/text.h"

namespace hone {
namespace {

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r");
  if (first == std::string_view::npos) {
    return {};
  }
  return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

Result<std::vector<double>> parse_numbers(std::string_view text) {
  std::vector<double> numbers;
  while (!text.empty()) {
    const std::size_t comma = std::min(text.find(','), text.size());
    const std::string_view digits = trimmed(text.substr(0, comma));
    double number = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
    if (error != std::errc() || end != digits.data() + digits.size() || !std::isfinite(number)) {
      return fail(ErrorCode::invalid_argument,
                  "'" + std::string(digits.substr(0, 40)) + "' is no finite number");
    }
    if (numbers.size() == kMaxVocabularyDimension) {
      return fail(ErrorCode::invalid_argument,
                  "more than " + std::to_string(kMaxVocabularyDimension) + " numbers");
    }
    numbers.push_back(number);
    text.remove_prefix(std::min(comma + 1, text.size()));
  }
  return numbers;
}

struct Line {
  std::string key;
  std::vector<double> numbers;
};

Result<Line> parse_line(std::string_view text) {
  const std::size_t colon = text.find(':');
  std::string_view list = colon == std::string_view::npos ? "" : trimmed(text.substr(colon + 1));
  if (list.ends_with(',')) {
    list = trimmed(list.substr(0, list.size() - 1));
  }
  if (colon == 0 || !list.starts_with('[') || !list.ends_with(']')) {
    return fail(ErrorCode::invalid_argument, "must be KEY:[NUMBER, NUMBER, ...]");
  }
  HONE_TRY(std::vector<double> numbers, parse_numbers(list.substr(1, list.size() - 2)));
  return Line{std::string(trimmed(text.substr(0, colon))), std::move(numbers)};
}

}  // namespace

Result<Ir2VecVocabulary> Ir2VecVocabulary::parse(std::string_view text) {
  Ir2VecVocabulary vocabulary;
  std::size_t number = 0;
  while (!text.empty()) {
    ++number;
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view content = trimmed(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (content.empty()) {
      continue;
    }
    const std::string where = "line " + std::to_string(number);
    Result<Line> line = parse_line(content);
    if (!line) {
      return line.error().within(where);
    }
    const std::size_t size = line->numbers.size();
    if (vocabulary.vectors_.empty()) {
      vocabulary.dimension_ = size;
    }
    if (size == 0 || size != vocabulary.dimension_) {
      return fail(ErrorCode::invalid_argument,
                  where + ": '" + line->key + "' has " + std::to_string(size) +
                      " numbers, where the first key has " + std::to_string(vocabulary.dimension_));
    }
    const std::string key = line->key;
    if (!vocabulary.vectors_.emplace(key, std::move(line->numbers)).second) {
      return fail(ErrorCode::invalid_argument, where + ": '" + key + "' stands twice");
    }
  }
  for (const char* const key :
       {"ret", "call", "integerTy", "voidTy", "constant", "variable", "pointer", "function"}) {
    if (vocabulary.find(key) == nullptr) {
      return fail(ErrorCode::invalid_argument,
                  std::string("'") + key + "' is missing: no vocabulary of IR2Vec");
    }
  }
  return vocabulary;
}

const std::vector<double>* Ir2VecVocabulary::find(std::string_view key) const {
  const auto found = vectors_.find(key);
  return found == vectors_.end() ? nullptr : &found->second;
}

}  // namespace hone
