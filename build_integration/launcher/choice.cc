#include "build_integration/launcher/choice.h"

#include <sys/stat.h>

#include <ctime>

#include "build_integration/launcher/decision_arguments.h"
#include "build_integration/launcher/failure_counts.h"
#include "build_integration/launcher/option_fingerprint.h"
#include "build_integration/launcher/pass_warnings.h"
#include "build_integration/launcher/refused_options.h"
#include "build_integration/launcher/source_root.h"
#include "common/base/file.h"
#include "common/base/hash.h"
#include "common/policy/allow_list.h"
#include "common/policy/index.h"

namespace hone {
namespace {

// 60 s over what a plain compile is assumed to need at most; a policy may say otherwise.
constexpr std::int64_t kAssumedPlainSeconds = 60;
constexpr std::int64_t kDefaultCpuSeconds = kAssumedPlainSeconds + 60;
constexpr std::size_t kMaxSourceBytes = std::size_t{256} << 20U;

// The part of choose() that needs the policy.
class PolicyChooser {
 public:
  PolicyChooser(const Settings& settings, const StateFolder& state, Choice& choice)
      : settings_(settings), state_(state), choice_(choice) {}

  void choose(const std::vector<std::string>& command, std::size_t compiler) {
    if (choice_.policy.empty()) {
      return plain(Reason::no_policy, "");
    }
    Result<PolicyIndex> index = PolicyIndex::open(choice_.policy);
    if (!index.has_value()) {
      return plain(Reason::policy_unreadable, index.error().message);
    }
    if (index->expires_at() != 0 && index->expires_at() < std::time(nullptr)) {
      return plain(Reason::policy_expired, choice_.policy);
    }
    choice_.cpu_limit_seconds =
        index->cpu_limit_seconds() > 0 ? index->cpu_limit_seconds() : kDefaultCpuSeconds;
    choice_.compiler = identify_compiler(command[compiler], state_);
    if (choice_.compiler.family.empty()) {
      return plain(Reason::compiler_unknown, command[compiler]);
    }
    if (!choice_.compiler.target.empty() && !is_host_target(choice_.compiler.target)) {
      return plain(Reason::other_target, choice_.compiler.target);
    }
    const std::string_view warning =
        asked_pass_warning(choice_.command.options, choice_.compiler.family);
    if (!warning.empty()) {
      return plain(Reason::reports, std::string(warning));
    }
    const CompileKey key{choice_.source,        choice_.output,          choice_.option_fingerprint,
                         choice_.command.level, choice_.compiler.family, choice_.compiler.major};
    Result<std::optional<IndexMatch>> found = index->find(key);
    if (!found.has_value()) {
      return plain(Reason::policy_unreadable, found.error().message);
    }
    std::optional<IndexMatch> match = *std::move(found);
    if (!match) {
      return plain(Reason::no_rule, "");
    }
    use(*std::move(match), command, compiler);
  }

 private:
  void plain(Reason reason, std::string detail) {
    choice_.reason = reason;
    choice_.detail = std::move(detail);
  }

  void use(IndexMatch match, const std::vector<std::string>& command, std::size_t compiler) {
    choice_.rule = match.rule;
    choice_.decision = std::move(match.decision);
    choice_.decision_hash = std::move(match.decision_hash);
    const Decision& decision = choice_.decision;
    // Forced: the plugin runs clang's own pipeline, for tests that compare the objects.
    const bool forced = settings_.force_plugin && choice_.compiler.family == "clang";
    if (is_plain(decision) && !forced) {
      return plain(Reason::rule_says_plain, "");
    }
    if (match.on_source_change == OnSourceChange::plain) {
      const Result<std::string> content = read_file(choice_.command.source, kMaxSourceBytes);
      if (!content.has_value() || to_hex(hash128(*content)) != match.source_hash) {
        return plain(Reason::source_changed, choice_.command.source);
      }
    }
    const Result<void> allowed =
        check_decision(decision, choice_.compiler.family, choice_.compiler.major);
    if (!allowed.has_value()) {
      return plain(Reason::not_allowed, allowed.error().message);
    }
    DecisionArguments added =
        decision_arguments(settings_, choice_.command, choice_.compiler, decision);
    if (added.refused != Reason::none) {
      return plain(added.refused, std::move(added.detail));
    }
    if (settings_.on_failure == OnFailure::plain &&
        has_failed_too_often(state_, choice_.decision_hash)) {
      return plain(Reason::three_failures, choice_.decision_hash);
    }
    choice_.untunable_key = untunable_key();
    const std::string remembered = state_.read(StateKind::untunable, choice_.untunable_key);
    for (const Reason reason : {Reason::coroutines, Reason::diagnostics, Reason::not_a_compile}) {
      if (remembered == to_string(reason)) {
        return plain(reason, "remembered");
      }
    }
    choice_.runs_compiler = compiler == 0 && choice_.compiler.is_program;
    // Ours come first: an option "--" of the user ends the options.
    const auto behind_compiler = static_cast<std::ptrdiff_t>(compiler) + 1;
    choice_.arguments.assign(command.begin(), command.begin() + behind_compiler);
    choice_.arguments.insert(choice_.arguments.end(), added.arguments.begin(),
                             added.arguments.end());
    choice_.arguments.insert(choice_.arguments.end(), command.begin() + behind_compiler,
                             command.end());
  }

  // A changed source, profile, decision or option asks again.
  std::string untunable_key() const {
    struct stat status{};
    std::string text =
        choice_.source + '\n' + choice_.option_fingerprint + '\n' + choice_.decision_hash + '\n';
    for (const std::string& input : {choice_.command.source, choice_.command.profile}) {
      if (!input.empty() && ::stat(input.c_str(), &status) == 0) {
        text += std::to_string(status.st_size) + '\n' + std::to_string(status.st_mtim.tv_sec) +
                '.' + std::to_string(status.st_mtim.tv_nsec) + '\n';
      }
    }
    return to_hex(hash128(text));
  }

  const Settings& settings_;
  const StateFolder& state_;
  Choice& choice_;
};

}  // namespace

std::size_t compiler_position(const std::vector<std::string>& command) {
  if (!is_compiler_cache(command.front())) {
    return 0;
  }
  // "ccache key=value compiler": settings of the cache's own.
  std::size_t position = 1;
  while (position < command.size() && command[position].find('=') != std::string::npos &&
         command[position].find('/') == std::string::npos) {
    ++position;
  }
  return position < command.size() && !command[position].starts_with('-') ? position : 0;
}

Choice choose(const Settings& settings, const StateFolder& state,
              const std::vector<std::string>& command) {
  Choice choice;
  const std::size_t compiler = compiler_position(command);
  const std::vector<std::string> arguments(
      command.begin() + static_cast<std::ptrdiff_t>(compiler) + 1, command.end());
  choice.command = scan_command_line(command[compiler], arguments);
  choice.reason = choice.command.refused;
  choice.detail = choice.command.refused_because;
  const std::string_view variable = unusual_environment();
  if (choice.reason == Reason::none && !variable.empty()) {
    choice.reason = Reason::unusual_environment;
    choice.detail = variable;
  }
  const bool is_named = settings.named_decisions && !choice.command.decision.empty();
  choice.policy = is_named ? choice.command.decision : settings.policy;
  if (!choice.command.makes_object) {
    return choice;
  }
  const SourceRoot root(settings.root.empty() ? folder_of(choice.policy) : settings.root);
  if (!choice.command.source.empty()) {
    choice.source = root.name_of(choice.command.source);
    choice.output = root.name_of(choice.command.output);
  }
  choice.option_fingerprint = option_fingerprint(choice.command.options, root);
  if (choice.reason == Reason::none) {
    PolicyChooser(settings, state, choice).choose(command, compiler);
  }
  return choice;
}

}  // namespace hone
