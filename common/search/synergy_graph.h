// Which pass brings more behind which other one than elsewhere: a directed, weighted graph of
// passes, mined from what was tried on training programs, with a card that says on which.
//
//   gain(b)      what b brought wherever it stood: the mean over programs of the mean over tries of
//                max(0, ln(cost of a sequence without it / cost with it)), in sequences that are
//                good without it (a search goes on from such)
//   gain(a, b)   the same where b stood directly behind a
//   a -> b       an edge of weight gain(a, b) - gain(b): above 0 they work together, below 0 b is
//                wasted there
//
// Pan et al. ("Synergy-guided compiler auto-tuning of nested LLVM pass pipelines", arXiv
// 2510.13184, and the synergistic search spaces before it) call a and b synergistic on a program if
// a before b leaves fewer instructions than b alone; that is one of the tries here, with the rest
// of a real sequence around it. The enabling and disabling probabilities of Kulkarni et al. (PLDI
// 2004) and the weighted graph of good sequences of Nobre, Martins and Cardoso (LCTES 2016) are
// what came before. Means of few programs are drawn towards gain(b) (server/learner/knowledge), and
// pairs that were seldom tried have no edge.
//
// A file of one JSON document:
//   {"format": "hone-synergy/1", "cost": "IrInstructionCount", "llvm_major": 19,
//    "passes": [{"pass": "gvn", "gain": 0.0021, "programs": 41}, ...],
//    "edges": [{"before": "sroa", "pass": "gvn", "gain": 0.0034, "programs": 12}, ...],
//    "card": {"made_at": ..., "made_by": ..., "seed": 1, "cpu_seconds": 520, "tries": 81234,
//             "programs": ["benchmark://debian-v0/lz4/lib/lz4.c", ...]}}
// Plain values. Thread safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "common/base/result.h"
#include "common/json/document.h"
#include "common/pipelines/successor_weights.h"

namespace hone {

struct SynergyPass {
  std::string pass;
  double gain = 0;
  std::size_t programs = 0;  // that it was tried on
};

struct SynergyEdge {
  std::string before;  // "": at the very beginning
  std::string pass;
  double gain = 0;  // behind `before`; less the pass's own it is the edge's weight
  std::size_t programs = 0;
};

struct SynergyCard {
  std::string made_at;  // RFC 3339
  std::string made_by;
  std::uint64_t seed = 1;
  double cpu_seconds = 0;   // of the run that wrote it; what its --work held before cost more
  std::uint64_t tries = 0;  // of a pass in a place
  std::vector<std::string> programs;  // URIs of what it was trained on, all of them
};

struct SynergyGraph {
  std::string cost;
  int llvm_major = 19;
  std::vector<SynergyPass> passes;  // by name
  std::vector<SynergyEdge> edges;   // by names
  SynergyCard card;

  // To draw successors by.
  std::shared_ptr<const SuccessorWeights> weights() const;
};

// The limits that a file is held against: 8 MiB, so many passes and edges.
inline constexpr std::size_t kMaxSynergyBytes = std::size_t{8} << 20U;
inline constexpr std::size_t kMaxSynergyPasses = 1'024;
inline constexpr std::size_t kMaxSynergyEdges = 65'536;

// invalid_argument names every field that is wrong, and a pass that is none of the major's.
Result<SynergyGraph> synergy_graph_from_json(const Json& document);
Json to_json(const SynergyGraph& graph);
// The same as a file's text, a pass or edge a line, so that a change of it can be read.
std::string to_text(const SynergyGraph& graph);
// The same with the file's name; not_found, too_large.
Result<SynergyGraph> read_synergy_graph(const std::filesystem::path& file);

}  // namespace hone
