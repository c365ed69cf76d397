#include "engine/llvm/observation.h"

#include "common/base/hash.h"
#include "common/base/sha256.h"
#include "engine/features/autophase.h"
#include "engine/features/inst_count.h"
#include "engine/llvm/function_properties.h"
#include "engine/llvm/ir2vec.h"
#include "engine/llvm/module_io.h"
#include "engine/llvm/program_graph.h"
#include "engine/llvm/text_size.h"

namespace hone {
namespace {

template <class Numbers>
auto as_vector(const Numbers& numbers) {
  return std::vector<typename Numbers::value_type>(numbers.begin(), numbers.end());
}

}  // namespace

Result<Observation> observe(ObservationSpace space, llvm::Module& module,
                            const Viewpoint& viewpoint) {
  switch (space) {
    case ObservationSpace::ir:
      return Observation(ir_text_of(module));
    case ObservationSpace::bitcode:
      return Observation(bitcode_of(module));
    case ObservationSpace::bitcode_hash:
      return Observation(to_hex(hash128(bitcode_of(module))));
    case ObservationSpace::bitcode_sha256:
      return Observation(sha256_hex(bitcode_of(module)));
    case ObservationSpace::inst_count:
      return Observation(as_vector(inst_count(module)));
    case ObservationSpace::inst_count_norm:
      return Observation(as_vector(inst_count_norm(inst_count(module))));
    case ObservationSpace::autophase:
      return Observation(as_vector(autophase(module)));
    case ObservationSpace::function_properties:
      return Observation(as_vector(function_properties(module)));
    case ObservationSpace::ir2vec:
      if (viewpoint.vocabulary == nullptr) {
        return fail(ErrorCode::unsupported,
                    "Ir2vec needs IR2Vec's vocabulary, a file that HONE_IR2VEC names where the "
                    "sessions run");
      }
      return Observation(ir2vec(module, *viewpoint.vocabulary));
    case ObservationSpace::programl: {
      HONE_TRY(std::string graph, program_graph(module));
      return Observation(std::move(graph));
    }
    case ObservationSpace::ir_instruction_count:
      return Observation(static_cast<std::int64_t>(module.getInstructionCount()));
    case ObservationSpace::object_text_size: {
      HONE_TRY(const std::int64_t bytes, object_text_bytes(module, viewpoint.machine));
      return Observation(bytes);
    }
    case ObservationSpace::text_size:
    case ObservationSpace::runtime:
    case ObservationSpace::buildtime:
      return fail(ErrorCode::unsupported, std::string(to_string(space)) +
                                              " needs the program linked, which is not done here");
  }
  return fail(ErrorCode::internal, "no such observation space");
}

Result<const Observation*> Observations::get(ObservationSpace space) {
  auto known = known_.find(space);
  if (known == known_.end()) {
    HONE_TRY(Observation fresh, see(space));
    known = known_.emplace(space, std::move(fresh)).first;
  }
  return &known->second;
}

void Observations::forget(const ModuleChanges& changes) {
  known_.clear();
  counts_.forget(changes);
}

Result<Observation> Observations::see(ObservationSpace space) {
  switch (space) {
    case ObservationSpace::inst_count:
      return Observation(as_vector(counts_.inst_count()));
    case ObservationSpace::inst_count_norm:
      return Observation(as_vector(inst_count_norm(counts_.inst_count())));
    case ObservationSpace::autophase:
      return Observation(as_vector(counts_.autophase()));
    case ObservationSpace::ir_instruction_count:
      return Observation(counts_.instructions());
    default:
      return observe(space, module_, viewpoint_);
  }
}

}  // namespace hone
