// Changes to pipelines that keep them valid: what check_pipeline accepts before, it accepts after.
//
// Every result is a function of the input forest, the major, the weights and the stream of the
// generator, the same on every platform. With weights a pass that is put somewhere is drawn by them
// as the successor of the one in front of it there; without (null), all alike. Fixed nodes
// (action_table.h) are never inserted, removed or moved; the one exception is always-inline, which
// is put in front of a pipeline that would inline nothing. Thread safe; the generator is the
// caller's.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "common/base/random.h"
#include "common/pipelines/forest.h"
#include "common/pipelines/successor_weights.h"

namespace hone {

struct Mutation {
  Forest forest;            // canonical, accepted by check_pipeline
  std::string description;  // what was done, "insert gvn after sroa in function; remove adce"
};

// Applies `edits` (at least 1) random edits, each one of: insert a searchable pass, remove one,
// swap two neighbours, replace one by another of the same level, duplicate one, change its
// parameters. `forest` must be accepted by check_pipeline for the major. An edit that finds nothing
// to work on is replaced by an insertion, so the result may equal the input only if edits undo each
// other.
Mutation mutate(const Forest& forest, int llvm_major, std::size_t edits, Random& random,
                const SuccessorWeights* successors = nullptr);

// A child with nodes of `left` up to a random cut and of `right` from a corresponding one, at the
// top level or within an adaptor that both have (same name and parameters). Both must be accepted
// by check_pipeline; a child that would break a limit is given up for `left`. With weights, two
// cuts are drawn and the one whose joint weighs more is made.
Mutation crossover(const Forest& left, const Forest& right, int llvm_major, Random& random,
                   const SuccessorWeights* successors = nullptr);

// A pipeline of `passes` (at least 1) passes drawn from the searchable ones, each in its own
// adaptors; neighbours of one level share an adaptor. With weights each is drawn as the successor
// of the one before, the first as that of `before`.
Mutation random_pipeline(int llvm_major, std::size_t passes, Random& random,
                         const SuccessorWeights* successors = nullptr,
                         std::string_view before = {});

}  // namespace hone
