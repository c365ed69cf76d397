// The seed embeddings of IR2Vec (VenkataKeerthy et al., ACM TACO 17(4), 2020): a vector for each
// opcode, kind of type and kind of operand.
//
// Read from the project's own files (vocabulary/seedEmbeddingVocab75D.txt, and the 300-dimensional
// seedEmbeddingVocab.txt in its Python package ir2vec 2.1.1), a key a line:
//
//   add:[0.0252, -0.0032, ...],
//
// Immutable; thread safe.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/result.h"

namespace hone {

inline constexpr std::size_t kMaxVocabularyBytes = std::size_t{64} << 20U;
inline constexpr std::size_t kMaxVocabularyDimension = 4096;

class Ir2VecVocabulary {
 public:
  // invalid_argument with the line: no "key:[...]", no finite number, another dimension than the
  // line before, a key that stands twice, or one of the keys missing that every program needs.
  static Result<Ir2VecVocabulary> parse(std::string_view text);

  std::size_t dimension() const { return dimension_; }
  // Null for a key that the vocabulary lacks, for example an opcode that is newer.
  const std::vector<double>* find(std::string_view key) const;

 private:
  std::size_t dimension_ = 0;
  std::map<std::string, std::vector<double>, std::less<>> vectors_;
};

}  // namespace hone
