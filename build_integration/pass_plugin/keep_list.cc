#include "build_integration/pass_plugin/keep_list.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace hone {
namespace {

// Sorted. Required passes run in any case and need not be here.
constexpr auto kKept = std::to_array<std::string_view>({
    "AddDiscriminatorsPass",
    "AlwaysInlinerPass",
    "Annotation2MetadataPass",
    "AnnotationRemarksPass",
    "BitcodeWriterPass",
    "BoundsCheckingPass",
    "CGProfilePass",
    "CanonicalizeAliasesPass",
    "DataFlowSanitizerPass",
    "EliminateAvailableExternallyPass",
    "EmbedBitcodePass",
    "EntryExitInstrumenterPass",
    "ForceFunctionAttrsPass",
    "GCOVProfilerPass",
    "HWAddressSanitizerPass",
    "InstrProfiling",
    "InstrProfilingLoweringPass",
    "KCFIPass",
    "LowerExpectIntrinsicPass",
    "LowerMatrixIntrinsicsPass",
    "LowerTypeTestsPass",
    "MemProfUsePass",
    "MemProfilerPass",
    "ModuleMemProfilerPass",
    "NameAnonGlobalPass",
    "ObjCARCAPElimPass",
    "ObjCARCExpandPass",
    "ObjCARCOptPass",
    "OpenMPOptPass",
    "PGOIndirectCallPromotion",
    "PGOInstrumentationGen",
    "PGOInstrumentationGenCreateVar",
    "PGOInstrumentationUse",
    "PGOMemOPSizeOpt",
    "PseudoProbeUpdatePass",
    "RelLookupTableConverterPass",
    "SampleProfileLoaderPass",
    "SampleProfileProbePass",
    "SanitizerBinaryMetadataPass",
    "SanitizerCoveragePass",
    "ThinLTOBitcodeWriterPass",
    "WarnMissedTransformationsPass",
    "WholeProgramDevirtPass",
});
static_assert(std::ranges::is_sorted(kKept));

}  // namespace

bool is_kept(llvm::StringRef pass) {
  return std::ranges::binary_search(kKept, std::string_view(pass.data(), pass.size()));
}

}  // namespace hone
