// A value or an Error. Stands in for std::expected until both compilers have it: use only what
// std::expected also offers (has_value, value, operator*, error) and the macros below. A
// Result<Json> is made with Result<Json>(boost::system::in_place_value, json): Json converts to
// anything, so plain `return json;` is ambiguous.
#pragma once

#include <utility>

#include <boost/system/result.hpp>

#include "common/base/error.h"

namespace hone {

template <class T = void>
using Result = boost::system::result<T, Error>;

// Shorthand for the common failing return: return fail(ErrorCode::not_found, "no target 'x'").
inline Error fail(ErrorCode code, std::string message) {
  return Error{code, std::move(message), {}};
}

}  // namespace hone

#define HONE_CONCAT_IMPL(a, b) a##b
#define HONE_CONCAT(a, b) HONE_CONCAT_IMPL(a, b)

// HONE_TRY(auto value, expression): the value, or return the error from the enclosing function.
#define HONE_TRY(declaration, ...) \
  HONE_TRY_IMPL(HONE_CONCAT(hone_result_, __LINE__), declaration, return, __VA_ARGS__)
// The same inside a coroutine. Name an awaited result first: g++ 12 miscompiles nested temporaries.
#define HONE_CO_TRY(declaration, ...) \
  HONE_TRY_IMPL(HONE_CONCAT(hone_result_, __LINE__), declaration, co_return, __VA_ARGS__)
#define HONE_TRY_IMPL(result, declaration, leave, ...) \
  auto result = (__VA_ARGS__);                         \
  if (!result.has_value()) {                           \
    leave std::move(result).error();                   \
  }                                                    \
  declaration = *std::move(result)

// HONE_CHECK(expression): return the error of a Result<void>.
#define HONE_CHECK(...) HONE_CHECK_IMPL(HONE_CONCAT(hone_result_, __LINE__), return, __VA_ARGS__)
#define HONE_CO_CHECK(...) \
  HONE_CHECK_IMPL(HONE_CONCAT(hone_result_, __LINE__), co_return, __VA_ARGS__)
#define HONE_CHECK_IMPL(result, leave, ...) \
  auto result = (__VA_ARGS__);              \
  if (!result.has_value()) {                \
    leave std::move(result).error();        \
  }
