// Where the passes of a pipeline stand, and where others could: what an edit chooses from.
//
// Every edit works on "bodies", the lists of nodes within one manager. A body has a level, and a
// pass of a deeper level enters it inside fresh adaptors, so that no edit can break the nesting.
// Places point into their forest, which stays the owner: they hold until it is changed. All lists
// are in the order of the text, outer bodies first. Thread safe for forests of one's own.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "common/pipelines/action_table.h"
#include "common/pipelines/forest.h"

namespace hone {

struct PipelineBody {
  std::vector<PipelineNode>* nodes = nullptr;
  PassLevel level = PassLevel::module;
  std::size_t depth = 1;  // of the nodes in it
};

struct PipelinePlace {
  PipelineBody body;
  std::size_t index = 0;
  PipelineNode& node() const { return (*body.nodes)[index]; }
};

// Searchable passes of the major.
std::vector<PipelinePlace> searchable_places(Forest& forest, int llvm_major);
// The first of two neighbours that may change places: each a searchable pass, or an adaptor with
// nothing else inside.
std::vector<PipelinePlace> swappable_places(Forest& forest, int llvm_major);
// Gaps before, between and after the nodes of a body that can take one more pass; of bodies of that
// level only, if one is given.
std::vector<PipelinePlace> gaps_of(Forest& forest, std::optional<PassLevel> only_level);

void put_in(const PipelinePlace& gap, PipelineNode node);
// The pass in front of a place; empty at the beginning of an adaptor.
std::string pass_before(const PipelinePlace& place);

// For people: "after sroa in function"; the text of a pass, and of an adaptor without its inside.
std::string describe_gap(const PipelinePlace& gap);
std::string brief_text(const PipelineNode& node);

}  // namespace hone
