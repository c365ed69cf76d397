// A model of trees that `hone-learner train --programs` made, as a search needs it: what it takes
// of a program, and which actions it counts. Plain values.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "common/base/result.h"
#include "server/learner/models/model_file.h"
#include "server/learner/models/tree_ensemble.h"

namespace hone {

struct TreeModel {
  TreeEnsemble trees;
  std::size_t ir2vec = 0;            // numbers of IR2Vec's embedding among the program's; 0: none
  std::vector<std::string> actions;  // pipelines, counted in a sequence
};

// invalid_argument for a model whose features are not a program's, in their order, and "taken." of
// at least one pipeline; unsupported for another version of them.
Result<TreeModel> tree_model(const Model& model, std::size_t threads);

}  // namespace hone
