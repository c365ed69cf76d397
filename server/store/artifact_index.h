// Which artifacts are there: the records beside the files of ArtifactFolder. Not thread safe.
#pragma once

#include <cstdint>
#include <string>

#include "server/store/async.h"

namespace hone {

struct ArtifactView {
  std::string sha256;
  std::int64_t size_bytes = 0;
  std::string created_at;  // RFC 3339
};

class ArtifactIndex {
 public:
  explicit ArtifactIndex(PgPool& pool) : pool_(pool) {}

  // Records a file that ArtifactFolder holds, and that this token (its id) has sent its bytes,
  // which makes it one of those who may read it (AccessStore). True if either was not known before;
  // recording it again is no error.
  Async<bool> add(std::string sha256, std::int64_t size_bytes, std::string created_by);
  // not_found if it was never recorded.
  Async<ArtifactView> find(std::string sha256);

 private:
  PgPool& pool_;
};

}  // namespace hone
