// Problem documents (RFC 9457, application/problem+json): how the API reports an Error.
//
//   {"type":"about:blank","title":"Bad Request","status":400,"code":"invalid_argument",
//    "detail":"bad target","errors":[{"pointer":"/benchmark/command","detail":"is missing"}]}
#pragma once

#include <string_view>

#include "common/base/error.h"
#include "common/json/document.h"

namespace hone {

// The HTTP status of a code; the one table.
int http_status(ErrorCode code);

// The reason phrase of a status, for example "Not Found".
std::string_view status_title(int status);

Json problem_document(const Error& error);
// The same under another status than the table's, where HTTP has a finer one (405, 408, 431 ...).
Json problem_document(const Error& error, int status);

// The Error a client makes of a response that is not a success; reads the document when it is one.
Error error_from_problem(int status, std::string_view body);

}  // namespace hone
