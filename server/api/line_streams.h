// The streams of many lines that one honed serves at a time, each of which holds two pages in
// memory, and a token's share of them: one that takes all it can, and reads slowly, leaves the
// others theirs. Not thread safe.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <utility>

#include "common/base/result.h"

namespace hone {

inline constexpr std::size_t kMaxStreams = 16;
inline constexpr std::size_t kMaxStreamsOfToken = kMaxStreams / 4;

class LineStreams {
 public:
  // One stream's, given back at its end. Must not outlive the streams.
  class Place {
   public:
    Place(Place&& other) noexcept
        : streams_(std::exchange(other.streams_, nullptr)), token_(std::move(other.token_)) {}
    Place& operator=(Place&&) = delete;
    Place(const Place&) = delete;
    Place& operator=(const Place&) = delete;
    ~Place();

   private:
    friend class LineStreams;
    Place(LineStreams& streams, std::string token) : streams_(&streams), token_(std::move(token)) {}
    LineStreams* streams_;
    std::string token_;
  };

  // For a token (id): resource_exhausted when it has its share, unavailable when there is none
  // left.
  Result<Place> take(const std::string& token);

  std::size_t size() const { return all_; }

 private:
  std::size_t all_ = 0;
  std::map<std::string, std::size_t> of_token_;  // by id; none of 0
};

}  // namespace hone
