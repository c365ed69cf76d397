// Promoted policies as they were last answered, so that pulling one that did not change costs the
// database nothing.
//
// An entry is good until any policy was published or promoted (here, or as the database tells it),
// and for five seconds at most; for one while nobody listens to the database. Not thread safe.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "server/http/message.h"
#include "server/store/store.h"

namespace hone {

class PolicyCache {
 public:
  // Outlived by the store.
  explicit PolicyCache(Store& store) : store_(store) {}

  // The answer to one who has what If-None-Match says; null if memory does not say.
  std::shared_ptr<const Reply> known(const std::string& target,
                                     std::string_view if_none_match) const;
  // The target's promoted policy from the store, kept, as an answer. not_found.
  Async<Reply> look_up(std::string target, std::string if_none_match);

 private:
  struct Entry {
    std::string etag;
    std::shared_ptr<const Reply> whole;
    std::shared_ptr<const Reply> unchanged;  // 304
    std::uint64_t mark = 0;                  // of Channel::policies, before it was read
    std::chrono::steady_clock::time_point read;
  };

  Store& store_;
  std::map<std::string, Entry> entries_;
  std::size_t bytes_ = 0;
};

// A policy's document as an answer: 200 with the document, or 304 where If-None-Match names it.
Reply document_reply(PolicyDocument document, std::string_view if_none_match);

}  // namespace hone
