#include "build_integration/pass_plugin/choice.h"

#include <string>
#include <utility>

#include <llvm/ADT/StringExtras.h>
#include <llvm/Config/llvm-config.h>
#include <llvm/IR/Metadata.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/CommandLine.h>
#include <llvm/Support/SHA256.h>

#include "common/choice/choice_model.h"
#include "engine/features/autophase.h"
#include "engine/features/inst_count.h"

namespace hone {
namespace {

constexpr std::size_t kShownHashBytes = 8;

// Module passes (mergefunc) do not spare functions that the user wants left as they are.
bool has_untouchable(const llvm::Module& module) {
  for (const llvm::Function& function : module) {
    if (function.hasOptNone()) {
      return true;
    }
  }
  return false;
}

std::uint32_t choose(const ChoiceModel& model, const llvm::Module& module) {
  if (find_presplit_coroutine(module) != nullptr || has_untouchable(module)) {
    return 0;
  }
  const Autophase autophase_numbers = autophase(module);
  const InstCount counts = inst_count(module);
  return choose_member(model, choice_features(autophase_numbers, counts));
}

// Whether the command sets one of the member's knobs.
bool is_users(const ChoiceMember& member) {
  const auto& options = llvm::cl::getRegisteredOptions();
  for (const ChoiceKnob& knob : member.knobs) {
    const auto option = options.find(knob.name);
    if (option != options.end() && option->second->getNumOccurrences() > 0) {
      return true;
    }
  }
  return false;
}

// As -mllvm would have. Passes read these options when they are made: what the default pipeline
// holds by now no longer runs, and code generation is set up later.
void set_knobs(const ChoiceMember& member) {
  auto& options = llvm::cl::getRegisteredOptions();
  for (const ChoiceKnob& knob : member.knobs) {
    const auto option = options.find(knob.name);
    if (option == options.end() || option->second->addOccurrence(0, knob.name, knob.value)) {
      refuse("choice: the compiler does not take -" + knob.name + "=" + knob.value);
    }
  }
}

// Only where the compiler names itself, too: -fno-ident wants no such lines.
void note_choice(llvm::Module& module, std::uint32_t member, const ChoiceModel& model,
                 llvm::StringRef text) {
  llvm::NamedMDNode* const names = module.getNamedMetadata("llvm.ident");
  if (names == nullptr) {
    return;
  }
  const auto hash = llvm::SHA256::hash(
      llvm::ArrayRef(reinterpret_cast<const std::uint8_t*>(text.data()), text.size()));
  const std::string line = "hone choice " + std::to_string(member) + "/" +
                           std::to_string(model.members.size()) + " " +
                           llvm::toHex(llvm::ArrayRef(hash.data(), kShownHashBytes), true);
  llvm::LLVMContext& context = module.getContext();
  names->addOperand(llvm::MDNode::get(context, llvm::MDString::get(context, line)));
}

class ChoicePass : public llvm::PassInfoMixin<ChoicePass> {
 public:
  ChoicePass(llvm::PassBuilder& builder, llvm::StringRef text, std::shared_ptr<Progress> progress)
      : builder_(&builder), text_(text), progress_(std::move(progress)) {}

  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager& analyses) {
    ChoiceModel model;
    if (const std::string wrong = parse_choice({text_.data(), text_.size()}, model);
        !wrong.empty()) {
      refuse("choice: " + wrong);
    }
    if (model.compiler_major != LLVM_VERSION_MAJOR) {
      refuse("choice: it is for clang " + llvm::Twine(model.compiler_major));
    }
    const std::uint32_t number = choose(model, module);
    const ChoiceMember& member = model.members[number];
    if (number == 0 || is_users(member)) {
      return llvm::PreservedAnalyses::all();
    }
    set_knobs(member);
    note_choice(module, number, model, text_);
    llvm::ModulePassManager manager;
    add_replacement(*builder_, member.pipeline, progress_, manager);
    return manager.run(module, analyses);
  }

  static bool isRequired() { return true; }

 private:
  llvm::PassBuilder* builder_;
  llvm::StringRef text_;
  std::shared_ptr<Progress> progress_;
};

}  // namespace

void add_choice(llvm::PassBuilder& builder, llvm::StringRef text,
                const std::shared_ptr<Progress>& progress, llvm::ModulePassManager& manager) {
  manager.addPass(ChoicePass(builder, text, progress));
}

}  // namespace hone
