// What a plain (unquoted) YAML scalar means. Thread safe.
#pragma once

#include <string>

#include "common/base/result.h"
#include "common/json/document.h"

namespace hone {

// null, truth value, number or text by the core schema of YAML 1.2. invalid_argument for .inf, .nan
// and numbers that neither 64 bits nor a double can hold.
Result<Json> plain_yaml_scalar(const std::string& text);

}  // namespace hone
