// The list in an answer of honed. Pure, thread safe.
#pragma once

#include <string_view>

#include "common/base/result.h"
#include "common/json/document.h"

namespace hone {

// Its "items". invalid_argument, naming `what` was asked for, where the answer holds no list.
Result<Json> items_of(const Json& answer, std::string_view what);

}  // namespace hone
