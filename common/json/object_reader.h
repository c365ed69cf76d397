// Reads typed, ranged values out of a JSON object and reports every bad field at once.
//
//   Problems problems;
//   ObjectReader reader(document, "", problems, UnknownKeys::refuse);
//   spec.name = reader.text("name", {.max_size = 64});
//   spec.budget = reader.integer("budget", 1, 100000).value_or(20);   // optional: *_or / optional
//   reader.finish();                       // unknown keys become problems
//   if (auto error = problems.as_error("target")) return *error;
//
// A getter returns a default value after it noted a problem, so reading goes on and all problems
// are found in one pass. Nothing is converted: 3.7 is no integer, "1" no number, 1 no truth value.
// Not thread safe.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "common/json/document.h"

namespace hone {

// Collected problems of one document.
class Problems {
 public:
  void add(std::string pointer, std::string detail);
  bool empty() const { return list_.empty(); }
  const std::vector<FieldProblem>& list() const { return list_; }
  // invalid_argument "bad <what>" holding every problem, or nothing.
  std::optional<Error> as_error(std::string_view what) const;

 private:
  std::vector<FieldProblem> list_;
};

// What people write is strict, messages between our own programs ignore what they do not know.
enum class UnknownKeys { refuse, ignore };

struct TextLimits {
  std::size_t min_size = 1;
  std::size_t max_size = 4096;
};

class ObjectReader {
 public:
  // `document` must outlive the reader. If it is no object, one problem is noted and every
  // getter returns its default without a further problem.
  ObjectReader(const Json& document, std::string pointer, Problems& problems, UnknownKeys unknown);

  // Required values.
  std::string text(std::string_view key, TextLimits limits = {});
  std::int64_t integer(std::string_view key, std::int64_t low, std::int64_t high);
  double number(std::string_view key, double low, double high);
  bool truth(std::string_view key);

  // Optional values: nothing if the key is absent or null.
  std::optional<std::string> optional_text(std::string_view key, TextLimits limits = {});
  std::optional<std::int64_t> optional_integer(std::string_view key, std::int64_t low,
                                               std::int64_t high);
  std::optional<double> optional_number(std::string_view key, double low, double high);
  std::optional<bool> optional_truth(std::string_view key);

  // A list of texts; absent gives an empty list unless required.
  std::vector<std::string> text_list(std::string_view key, std::size_t max_items,
                                     TextLimits limits = {});

  // One of the given spellings. `parse` returns nothing for an unknown one; `choices` is for the
  // message.
  template <class Enum>
  Enum one_of(std::string_view key, std::optional<Enum> (*parse)(std::string_view),
              std::string_view choices) {
    const std::string spelling = text(key);
    return choose(key, spelling, parse, choices).value_or(Enum{});
  }
  template <class Enum>
  std::optional<Enum> optional_one_of(std::string_view key,
                                      std::optional<Enum> (*parse)(std::string_view),
                                      std::string_view choices) {
    const std::optional<std::string> spelling = optional_text(key);
    return spelling ? choose(key, *spelling, parse, choices) : std::nullopt;
  }

  // The raw value, or nullptr if absent or null. Marks the key as known.
  const Json* find(std::string_view key);
  // The same, but noting a problem when it is absent.
  const Json* require(std::string_view key);

  // A nested object read by `read(ObjectReader&)`; its unknown keys are checked too.
  void object(std::string_view key, const std::function<void(ObjectReader&)>& read);
  void optional_object(std::string_view key, const std::function<void(ObjectReader&)>& read);
  // A list of objects; an absent list is empty.
  void each(std::string_view key, std::size_t max_items,
            const std::function<void(ObjectReader&)>& read);

  // Notes a problem with one of this object's values; nothing if the document is no object.
  void refuse(std::string_view key, std::string detail);
  // Notes unknown keys. Called by object(), optional_object() and each() for nested readers.
  void finish();

  bool has(std::string_view key);
  const std::string& pointer() const { return pointer_; }
  Problems& problems() { return problems_; }
  UnknownKeys unknown_keys() const { return unknown_; }

 private:
  template <class Enum>
  std::optional<Enum> choose(std::string_view key, const std::string& spelling,
                             std::optional<Enum> (*parse)(std::string_view),
                             std::string_view choices) {
    if (spelling.empty()) {
      return std::nullopt;  // noted already
    }
    const std::optional<Enum> value = parse(spelling);
    if (!value) {
      refuse(key, "\"" + spelling + "\" is not one of " + std::string(choices));
    }
    return value;
  }

  std::optional<std::string> read_text(std::string_view key, const Json& value, TextLimits limits);
  std::optional<std::int64_t> read_integer(std::string_view key, const Json& value,
                                           std::int64_t low, std::int64_t high);
  std::optional<double> read_number(std::string_view key, const Json& value, double low,
                                    double high);

  const Json* document_;
  std::string pointer_;
  Problems& problems_;
  UnknownKeys unknown_;
  std::set<std::string, std::less<>> known_;
};

}  // namespace hone
