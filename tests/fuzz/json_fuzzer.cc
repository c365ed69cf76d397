// Fuzzes the strict JSON reader. Input: a byte that chooses the depth limit, then the document.
//
// A second reader over the same tokens says what is right: a document is taken exactly if it is
// JSON, within the depth, with no key twice in an object; its value is what nlohmann's own parser
// makes of it; it is printed and read again as the same. Then every typed getter is asked for every
// member, and what it refuses it names by a pointer that leads there.
#include <algorithm>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "common/json/object_reader.h"
#include "tests/fuzz/check.h"

namespace hone {
namespace {

// Notes depth and duplicate keys, builds nothing.
class Shape final : public nlohmann::json_sax<Json> {
 public:
  bool null() override { return true; }
  bool boolean(bool) override { return true; }
  bool number_integer(number_integer_t) override { return true; }
  bool number_unsigned(number_unsigned_t) override { return true; }
  bool number_float(number_float_t, const string_t&) override { return true; }
  bool string(string_t&) override { return true; }
  bool binary(binary_t&) override { return false; }
  bool start_object(std::size_t) override { return open(); }
  bool key(string_t& value) override {
    duplicates |= !keys_.back().insert(value).second;
    return true;
  }
  bool end_object() override { return close(); }
  bool start_array(std::size_t) override { return open(); }
  bool end_array() override { return close(); }
  bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception&) override {
    return false;
  }

  std::size_t depth = 0;
  bool duplicates = false;

 private:
  bool open() {
    keys_.emplace_back();
    depth = std::max(depth, keys_.size());
    return true;
  }
  bool close() {
    keys_.pop_back();
    return true;
  }

  std::vector<std::set<std::string>> keys_;
};

enum class Spelling { one };
std::optional<Spelling> parse_spelling(std::string_view text) {
  return text == "one" ? std::optional(Spelling::one) : std::nullopt;
}

void ask_everything(ObjectReader& reader, const Json& object) {
  for (const auto& [key, value] : object.items()) {
    const std::size_t before = reader.problems().list().size();
    const std::int64_t whole = reader.integer(key, -5, 1'000'000);
    FUZZ_CHECK(whole >= -5 && whole <= 1'000'000);
    const double number = reader.number(key, -2.5, 1e18);
    FUZZ_CHECK(number >= -2.5 && number <= 1e18);
    const std::string text = reader.text(key, {.min_size = 2, .max_size = 20});
    FUZZ_CHECK(text.size() <= 20 && text.find('\0') == std::string::npos);
    const bool truth = reader.truth(key);
    FUZZ_CHECK(!truth || value == true);
    for (const std::string& item : reader.text_list(key, 3, {.max_size = 20})) {
      FUZZ_CHECK(!item.empty() && item.size() <= 20);
    }
    static_cast<void>(reader.one_of("kind", parse_spelling, "one"));
    reader.optional_object(key, [&value](ObjectReader& nested) {
      if (value.is_object()) {
        ask_everything(nested, value);
      }
    });
    reader.each(key, 5, [](ObjectReader& nested) { nested.has("a"); });
    // No value is of every kind.
    FUZZ_CHECK(reader.problems().list().size() > before || before >= 90);
  }
}

void check_reader(const Json& document) {
  for (const UnknownKeys unknown : {UnknownKeys::refuse, UnknownKeys::ignore}) {
    Problems problems;
    ObjectReader reader(document, "", problems, unknown);
    if (document.is_object()) {
      ask_everything(reader, document);
    }
    reader.finish();
    FUZZ_CHECK(document.is_object() || !problems.empty());
    for (const FieldProblem& problem : problems.list()) {
      FUZZ_CHECK(!problem.detail.empty());
      const Json::json_pointer pointer(problem.pointer);
      const bool absent = problem.detail == "is missing" || problem.detail.find("\"kind\"") == 0;
      FUZZ_CHECK(absent || problem.pointer.ends_with("/kind") || document.contains(pointer) ||
                 problem.pointer.empty());
    }
  }
}

void check(std::string_view text, int depth) {
  const JsonLimits limits{.bytes = 4096, .depth = depth};
  const Result<Json> read = parse_json(text, limits);
  if (text.size() > limits.bytes) {
    FUZZ_CHECK(!read.has_value() && read.error().code == ErrorCode::too_large);
    return;
  }
  Shape shape;
  const bool is_json = Json::sax_parse(text, &shape);
  const bool right = is_json && !shape.duplicates && static_cast<int>(shape.depth) <= depth;
  FUZZ_CHECK(read.has_value() == right);
  if (!right) {
    FUZZ_CHECK(read.error().code == ErrorCode::invalid_argument && !read.error().message.empty());
    return;
  }
  FUZZ_CHECK(*read == Json::parse(text, nullptr, false));
  const std::string printed = dump_json(*read);
  const Result<Json> again = parse_json(printed, {.depth = depth});
  FUZZ_CHECK(again.has_value() && *again == *read && dump_json(*again) == printed);
  const Result<Json> pretty = parse_json(dump_json_pretty(*read), {.depth = depth});
  FUZZ_CHECK(pretty.has_value() && *pretty == *read);
  check_reader(*read);
}

}  // namespace
}  // namespace hone

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) {
    return 0;
  }
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  hone::check(text, 1 + data[0] % 64);
  return 0;
}
