#include "common/protocol/problem.h"

#include <array>
#include <string>
#include <utility>

#include <nlohmann/json.hpp>

#include "common/json/object_reader.h"

namespace hone {
namespace {

struct StatusRow {
  int status;
  std::string_view title;
};
constexpr std::array<StatusRow, 20> kTitles{{{400, "Bad Request"},
                                             {401, "Unauthorized"},
                                             {403, "Forbidden"},
                                             {404, "Not Found"},
                                             {405, "Method Not Allowed"},
                                             {408, "Request Timeout"},
                                             {409, "Conflict"},
                                             {410, "Gone"},
                                             {411, "Length Required"},
                                             {413, "Content Too Large"},
                                             {414, "URI Too Long"},
                                             {415, "Unsupported Media Type"},
                                             {421, "Misdirected Request"},
                                             {426, "Upgrade Required"},
                                             {429, "Too Many Requests"},
                                             {431, "Request Header Fields Too Large"},
                                             {500, "Internal Server Error"},
                                             {503, "Service Unavailable"},
                                             {504, "Gateway Timeout"},
                                             {507, "Insufficient Storage"}}};

constexpr std::array kCodes{
    ErrorCode::invalid_argument, ErrorCode::unauthenticated,    ErrorCode::permission_denied,
    ErrorCode::not_found,        ErrorCode::conflict,           ErrorCode::expired,
    ErrorCode::too_large,        ErrorCode::unsupported,        ErrorCode::timed_out,
    ErrorCode::unavailable,      ErrorCode::cancelled,          ErrorCode::io_failed,
    ErrorCode::disk_full,        ErrorCode::resource_exhausted, ErrorCode::internal};

ErrorCode code_of_status(int status) {
  switch (status) {
    case 401:
      return ErrorCode::unauthenticated;
    case 403:
      return ErrorCode::permission_denied;
    case 404:
      return ErrorCode::not_found;
    case 409:
      return ErrorCode::conflict;
    case 410:
      return ErrorCode::expired;
    case 413:
      return ErrorCode::too_large;
    case 405:
    case 415:
    case 426:
      return ErrorCode::unsupported;
    case 408:
    case 504:
      return ErrorCode::timed_out;
    case 429:
      return ErrorCode::resource_exhausted;
    case 502:
    case 503:
      return ErrorCode::unavailable;
    case 507:
      return ErrorCode::disk_full;
    default:
      return status >= 500 ? ErrorCode::internal : ErrorCode::invalid_argument;
  }
}

}  // namespace

int http_status(ErrorCode code) {
  switch (code) {
    case ErrorCode::invalid_argument:
      return 400;
    case ErrorCode::unauthenticated:
      return 401;
    case ErrorCode::permission_denied:
      return 403;
    case ErrorCode::not_found:
      return 404;
    case ErrorCode::conflict:
    case ErrorCode::cancelled:
      return 409;
    case ErrorCode::expired:
      return 410;
    case ErrorCode::too_large:
      return 413;
    case ErrorCode::unsupported:
      return 415;
    case ErrorCode::resource_exhausted:
      return 429;
    case ErrorCode::unavailable:
      return 503;
    case ErrorCode::timed_out:
      return 504;
    case ErrorCode::disk_full:
      return 507;
    case ErrorCode::io_failed:
    case ErrorCode::internal:
      return 500;
  }
  return 500;
}

std::string_view status_title(int status) {
  for (const StatusRow& row : kTitles) {
    if (row.status == status) {
      return row.title;
    }
  }
  return status >= 500 ? "Server Error" : "Error";
}

Json problem_document(const Error& error) {
  return problem_document(error, http_status(error.code));
}

Json problem_document(const Error& error, int status) {
  Json document{{"type", "about:blank"},
                {"title", std::string(status_title(status))},
                {"status", status},
                {"code", std::string(to_string(error.code))},
                {"detail", error.message}};
  if (!error.fields.empty()) {
    Json& errors = document["errors"] = Json::array();
    for (const FieldProblem& field : error.fields) {
      errors.push_back({{"pointer", field.pointer}, {"detail", field.detail}});
    }
  }
  return document;
}

Error error_from_problem(int status, std::string_view body) {
  Error error{
      code_of_status(status),
      "the server answered " + std::to_string(status) + " " + std::string(status_title(status)),
      {}};
  const Result<Json> document = parse_json(body, {.bytes = std::size_t{1} << 20U, .depth = 8});
  if (!document.has_value() || !document->is_object()) {
    return error;
  }
  Problems ignored;
  ObjectReader reader(*document, "", ignored, UnknownKeys::ignore);
  if (const auto detail = reader.optional_text("detail", {.max_size = 65536})) {
    error.message = *detail;
  }
  const std::string code = reader.optional_text("code").value_or("");
  for (const ErrorCode candidate : kCodes) {
    if (to_string(candidate) == code) {
      error.code = candidate;
    }
  }
  reader.each("errors", 1000, [&error](ObjectReader& field) {
    error.fields.push_back({field.optional_text("pointer", {.min_size = 0}).value_or(""),
                            field.optional_text("detail", {.max_size = 65536}).value_or("")});
  });
  return error;
}

}  // namespace hone
