#include "server/http/message.h"

#include <algorithm>
#include <array>
#include <variant>

#include <boost/asio/experimental/awaitable_operators.hpp>

#include "server/http/letter_case.h"

namespace hone {
namespace {

constexpr std::array<std::string_view, 6> kMethods{"GET", "HEAD", "POST", "PUT", "DELETE", "PATCH"};

const std::string* find_value(const std::vector<NamedValue>& values, std::string_view name) {
  const auto found = std::ranges::find(values, name, &NamedValue::first);
  return found == values.end() ? nullptr : &found->second;
}

}  // namespace

std::string_view to_string(HttpMethod method) {
  return kMethods.at(static_cast<std::size_t>(method));
}

std::optional<HttpMethod> parse_http_method(std::string_view text) {
  const auto found = std::ranges::find(kMethods, text);
  if (found == kMethods.end()) {
    return std::nullopt;
  }
  return static_cast<HttpMethod>(found - kMethods.begin());
}

boost::asio::awaitable<bool> wait_unless_gone(Peer& peer, boost::asio::awaitable<bool> work) {
  using namespace boost::asio::experimental::awaitable_operators;
  boost::asio::awaitable<void> gone = peer.wait_gone();
  auto first = std::move(gone) || std::move(work);
  const std::variant<std::monostate, bool> ended = co_await std::move(first);
  const bool* result = std::get_if<bool>(&ended);
  co_return result != nullptr && *result;
}

const std::string& Request::path_value(std::string_view name) const {
  static const std::string kNone;
  const std::string* value = find_value(path_values, name);
  return value == nullptr ? kNone : *value;
}

std::optional<std::string> Request::query_value(std::string_view name) const {
  const std::string* value = find_value(query, name);
  return value == nullptr ? std::nullopt : std::optional(*value);
}

std::string_view Request::header(std::string_view name) const {
  const auto found = std::ranges::find_if(
      headers, [name](const HeaderField& field) { return equal_but_case(field.first, name); });
  return found == headers.end() ? std::string_view() : found->second;
}

}  // namespace hone
