#include "staging/counters/callgrind_profile.h"

#include <charconv>
#include <optional>
#include <utility>

#include "common/base/text.h"

namespace hone {
namespace {

constexpr std::size_t kMost = 1'000'000;
constexpr int kSteps = 16;

std::optional<std::uint64_t> last_number(std::string_view line) {
  const std::string_view word = line.substr(line.rfind(' ') + 1);
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  return error == std::errc() && end == word.data() + word.size() ? std::optional(value)
                                                                  : std::nullopt;
}

bool is_cost(std::string_view line) {
  return !line.empty() && line.front() >= '0' && line.front() <= '9' &&
         line.find(' ') != std::string_view::npos;
}

}  // namespace

// Goes through the lines once. Names hold for what follows them until they are given again.
class CallgrindReader {
 public:
  Result<CallgrindProfile> read(std::string_view text) {
    std::size_t number = 0;
    while (!text.empty()) {
      const std::size_t end = std::min(text.find('\n'), text.size());
      const std::string_view line = text.substr(0, end);
      text.remove_prefix(std::min(end + 1, text.size()));
      ++number;
      if (!take(line)) {
        return fail(ErrorCode::invalid_argument,
                    "callgrind's output, line " + std::to_string(number) + ": '" +
                        std::string(line.substr(0, 80)) + "' is no cost of a function");
      }
      if (profile_.functions_.size() + calls_.size() > kMost) {
        return fail(ErrorCode::too_large, "callgrind's output holds more than a million functions");
      }
    }
    if (profile_.total_ == 0) {
      return fail(ErrorCode::invalid_argument, "callgrind's output holds no cost");
    }
    for (const auto& [ends, inclusive] : calls_) {
      profile_.calls_.push_back({ends.first, ends.second, inclusive});
    }
    return std::move(profile_);
  }

 private:
  using Key = std::tuple<std::string, std::string, std::string>;  // object, file, name

  bool take(std::string_view line) {
    if (is_cost(line)) {
      return take_cost(line);
    }
    const std::size_t equals = line.find('=');
    if (equals == std::string_view::npos) {
      return true;  // a header's line, or an empty one
    }
    const std::string_view word = line.substr(0, equals);
    const std::string value(line.substr(equals + 1));
    if (word == "ob") {
      object_ = value;
    } else if (word == "fl" || word == "fi" || word == "fe") {
      file_ = value;
    } else if (word == "fn") {
      function_ = function({object_, file_, value});
    } else if (word == "cob") {
      called_object_ = value;
    } else if (word == "cfi" || word == "cfl") {
      called_file_ = value;
    } else if (word == "cfn") {
      called_ = function({called_object_.value_or(object_), called_file_.value_or(file_), value});
      called_object_.reset();
      called_file_.reset();
    } else if (word == "calls") {
      return std::exchange(cost_of_call_, true) == false && called_ && function_;
    }
    return true;
  }

  bool take_cost(std::string_view line) {
    const std::optional<std::uint64_t> cost = last_number(line);
    if (!cost || !function_) {
      return false;
    }
    if (std::exchange(cost_of_call_, false)) {
      calls_[{*function_, *called_}] += *cost;
    } else {
      profile_.functions_[*function_].own += *cost;
      profile_.total_ += *cost;
    }
    return true;
  }

  std::size_t function(Key key) {
    const auto [known, is_new] = numbers_.try_emplace(key, profile_.functions_.size());
    if (is_new) {
      profile_.functions_.push_back({std::get<0>(key), std::get<1>(key), 0});
    }
    return known->second;
  }

  CallgrindProfile profile_;
  std::map<Key, std::size_t> numbers_;
  std::map<std::pair<std::size_t, std::size_t>, std::uint64_t> calls_;
  std::string object_;
  std::string file_;
  std::optional<std::size_t> function_;
  std::optional<std::string> called_object_;
  std::optional<std::string> called_file_;
  std::optional<std::size_t> called_;
  bool cost_of_call_ = false;
};

Result<CallgrindProfile> CallgrindProfile::parse(std::string_view text) {
  return CallgrindReader().read(text);
}

std::map<std::string, double> CallgrindProfile::by_source(
    const std::filesystem::path& objects,
    const std::function<std::string(const std::string& file)>& source_of) const {
  const std::string folder = objects.native() + "/";
  std::vector<std::string> sources(functions_.size());
  std::vector<double> left(functions_.size(), 0);  // not attributed yet
  std::map<std::string, double> shares;
  for (std::size_t i = 0; i < functions_.size(); ++i) {
    if (functions_[i].object.starts_with(folder)) {
      sources[i] = source_of(functions_[i].file);
      left[i] = static_cast<double>(functions_[i].own);
    }
  }
  std::vector<double> spent(functions_.size(), 0);  // in a function, by all that call it
  for (const Call& call : calls_) {
    if (call.from != call.to) {
      spent[call.to] += static_cast<double>(call.inclusive);
    }
  }
  for (int step = 0; step < kSteps; ++step) {
    for (std::size_t i = 0; i < functions_.size(); ++i) {
      if (!sources[i].empty()) {
        shares[sources[i]] += std::exchange(left[i], 0);
      }
    }
    std::vector<double> next(functions_.size(), 0);
    for (const Call& call : calls_) {
      if (call.from != call.to && left[call.to] > 0) {
        next[call.from] += left[call.to] * static_cast<double>(call.inclusive) / spent[call.to];
      }
    }
    left = std::move(next);
  }
  return shares;
}

}  // namespace hone
