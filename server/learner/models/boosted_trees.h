// XGBoost's matrix and booster, owned, with its errors as ours (XGBoost 1.7, C interface). Nothing
// it does throws through these. Not thread safe; each uses as many threads as it is told.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/result.h"

namespace hone {

// Rows of features, copied into XGBoost's own form.
class FeatureMatrix {
 public:
  // `values` row by row, `width` a row. internal with XGBoost's reason.
  static Result<FeatureMatrix> create(std::span<const float> values, std::size_t width,
                                      std::size_t threads);
  Result<void> set_targets(std::span<const float> targets);
  Result<void> set_weights(std::span<const float> weights);

  void* handle() const { return handle_.get(); }
  std::size_t rows() const { return rows_; }

 private:
  struct Free {
    void operator()(void* handle) const;
  };
  std::unique_ptr<void, Free> handle_;
  std::size_t rows_ = 0;
};

struct BoosterSettings {
  std::size_t depth = 6;
  double rate = 0.15;
  double subsample = 0.8;  // of rows and, for each tree, of features
  std::size_t bins = 128;  // of a feature's histogram
  std::size_t threads = 2;
  std::uint64_t seed = 1;
};

// Regression by squared error with histograms. internal with XGBoost's reason, everywhere.
class BoostedTrees {
 public:
  // Of the matrix's targets and weights; call update() for each round.
  static Result<BoostedTrees> create(const FeatureMatrix& matrix, const BoosterSettings& settings);
  Result<void> update(const FeatureMatrix& matrix, int round);

  // What save() gave. invalid_argument for bytes that XGBoost refuses, and for another width.
  static Result<BoostedTrees> load(std::string_view bytes, std::size_t width, std::size_t threads);
  Result<std::string> save() const;

  // One for each row.
  Result<std::vector<float>> predict(const FeatureMatrix& matrix) const;

 private:
  struct Free {
    void operator()(void* handle) const;
  };
  std::unique_ptr<void, Free> handle_;
};

}  // namespace hone
