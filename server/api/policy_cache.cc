#include "server/api/policy_cache.h"

#include <utility>

#include "server/api/kept_for.h"

namespace hone {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kMostBytes = std::size_t{64} << 20U;

std::string etag_of(const PolicyVersion& version) {
  return "\"" + version.sha256 + "\"";
}

// Whether If-None-Match holds this entity tag (or any).
bool has_entity(std::string_view if_none_match, const std::string& etag) {
  return if_none_match == "*" || if_none_match.find(etag) != std::string_view::npos;
}

std::vector<NamedValue> headers_of(const PolicyDocument& document) {
  const PolicyVersion& version = document.version;
  std::vector<NamedValue> headers{{"ETag", etag_of(version)},
                                  {"Hone-Policy-Version", std::to_string(version.version)},
                                  {"Hone-Policy-Sequence", std::to_string(version.sequence)}};
  // Also where the document is known already: a signature may have been put beside it since.
  if (!document.signature.empty()) {
    headers.emplace_back("Hone-Policy-Signature", document.signature);
  }
  return headers;
}

Reply unchanged_reply(const PolicyDocument& document) {
  Reply reply;
  reply.status = 304;
  reply.headers = headers_of(document);
  return reply;
}

// One that is in memory as a whole.
Reply again(const Reply& reply) {
  Reply copy;
  copy.status = reply.status;
  copy.headers = reply.headers;
  copy.kept_body = reply.kept_body;
  return copy;
}

Reply whole_reply(PolicyDocument document) {
  Reply reply;
  reply.headers = headers_of(document);
  reply.kept_body = std::make_shared<const std::string>(std::move(document.document));
  return reply;
}

}  // namespace

Reply document_reply(PolicyDocument document, std::string_view if_none_match) {
  return has_entity(if_none_match, etag_of(document.version)) ? unchanged_reply(document)
                                                              : whole_reply(std::move(document));
}

std::shared_ptr<const Reply> PolicyCache::known(const std::string& target,
                                                std::string_view if_none_match) const {
  const auto found = entries_.find(target);
  if (found == entries_.end()) {
    return nullptr;
  }
  const Entry& entry = found->second;
  const Notifications& notifications = store_.notifications();
  const bool current = entry.mark == notifications.mark(Channel::policies) &&
                       Clock::now() - entry.read < kept_for(notifications);
  if (!current) {
    return nullptr;
  }
  return has_entity(if_none_match, entry.etag) ? entry.unchanged : entry.whole;
}

Async<Reply> PolicyCache::look_up(std::string target, std::string if_none_match) {
  Entry entry;
  entry.mark = store_.notifications().mark(Channel::policies);
  entry.read = Clock::now();
  Result<PolicyDocument> found = co_await store_.policies().find_promoted(target);
  HONE_CO_TRY(PolicyDocument document, std::move(found));
  entry.etag = etag_of(document.version);
  entry.unchanged = std::make_shared<const Reply>(unchanged_reply(document));
  const std::size_t size = document.document.size();
  entry.whole = std::make_shared<const Reply>(whole_reply(std::move(document)));
  const std::shared_ptr<const Reply> chosen =
      has_entity(if_none_match, entry.etag) ? entry.unchanged : entry.whole;
  const auto old = entries_.find(target);
  if (old != entries_.end()) {
    bytes_ -= old->second.whole->text().size();
    entries_.erase(old);
  }
  if (bytes_ + size > kMostBytes) {
    entries_.clear();
    bytes_ = 0;
  }
  if (size <= kMostBytes) {
    bytes_ += size;
    entries_.emplace(std::move(target), std::move(entry));
  }
  co_return again(*chosen);
}

}  // namespace hone
