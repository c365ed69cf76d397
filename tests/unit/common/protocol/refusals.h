// Asking a parser what it refuses, by pointer.
#pragma once

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "common/base/result.h"
#include "common/json/document.h"

namespace hone {

// The pointers of the fields that the result's error names; {"(accepted)"} if there is no error.
template <class T>
std::vector<std::string> refused(const Result<T>& result) {
  if (result.has_value()) {
    return {"(accepted)"};
  }
  std::vector<std::string> pointers;
  for (const FieldProblem& field : result.error().fields) {
    pointers.push_back(field.pointer);
  }
  std::ranges::sort(pointers);
  return pointers;
}

using Pointers = std::vector<std::string>;

// `document` with the value at `pointer` replaced; a null JSON value removes it.
inline Json with(Json document, const std::string& pointer, const Json& value) {
  const nlohmann::json::json_pointer at(pointer);
  if (value.is_null()) {
    Json& parent = document[at.parent_pointer()];
    parent.erase(at.back());
  } else {
    document[at] = value;
  }
  return document;
}

}  // namespace hone
