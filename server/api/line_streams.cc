#include "server/api/line_streams.h"

namespace hone {

Result<LineStreams::Place> LineStreams::take(const std::string& token) {
  const auto own = of_token_.find(token);
  if (own != of_token_.end() && own->second >= kMaxStreamsOfToken) {
    return fail(ErrorCode::resource_exhausted,
                "this token reads " + std::to_string(kMaxStreamsOfToken) +
                    " streams here already, the most it may: wait for one to end");
  }
  if (all_ >= kMaxStreams) {
    return fail(ErrorCode::unavailable,
                "this honed serves " + std::to_string(kMaxStreams) + " streams already");
  }
  ++all_;
  ++of_token_[token];
  return Place(*this, token);
}

LineStreams::Place::~Place() {
  if (streams_ == nullptr) {
    return;
  }
  --streams_->all_;
  const auto own = streams_->of_token_.find(token_);
  if (--own->second == 0) {
    streams_->of_token_.erase(own);
  }
}

}  // namespace hone
