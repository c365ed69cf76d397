#include "server/api/log_wish.h"

#include <nlohmann/json.hpp>

#include "common/json/object_reader.h"
#include "common/protocol/candidate.h"

namespace hone {
namespace {

std::size_t pipelines_of(const Json& document) {
  const auto found = document.find("pipelines");
  return found != document.end() && found->is_array() ? found->size() : 0;
}

std::vector<double> read_propensities(ObjectReader& reader, const Json& list,
                                      std::size_t pipelines) {
  std::vector<double> values;
  if (!list.is_array()) {
    reader.refuse("log_propensities", "must be a list of numbers, one for each pipeline");
    return values;
  }
  if (list.size() != pipelines) {
    reader.refuse("log_propensities", "has " + std::to_string(list.size()) + " numbers for " +
                                          std::to_string(pipelines) + " pipelines");
  }
  for (std::size_t i = 0; i < list.size(); ++i) {
    const double value = list[i].is_number() ? list[i].get<double>() : 1.0;
    if (!(value >= kLeastLogPropensity && value <= 0)) {
      reader.problems().add("/log_propensities/" + std::to_string(i),
                            dump_json(list[i]) + " must be a number from " +
                                dump_json(Json(kLeastLogPropensity)) +
                                " to 0: the natural logarithm of the probability with which the "
                                "pipeline was chosen");
    }
    values.push_back(value);
  }
  return values;
}

}  // namespace

Result<LogWish> take_log_wish(Json& document, SessionCommand command) {
  LogWish wish;
  const bool opens = command == SessionCommand::open;
  if (!document.is_object() || (!opens && command != SessionCommand::step)) {
    return wish;
  }
  Problems problems;
  ObjectReader reader(document, "", problems, UnknownKeys::ignore);
  if (opens) {
    wish.log = reader.optional_truth("log").value_or(false);
  }
  if (const Json* const list = reader.find("log_propensities"); list != nullptr) {
    wish.log_propensities = read_propensities(reader, *list, pipelines_of(document));
    if (opens && !wish.log) {
      reader.refuse("log_propensities", "is for the log: ask for it by \"log\": true");
    }
  }
  if (opens) {
    document.erase("log");
  }
  document.erase("log_propensities");
  if (auto error = problems.as_error("session request")) {
    return *std::move(error);
  }
  return wish;
}

}  // namespace hone
