#include <bit>
#include <cstring>
#include <unordered_map>

#include "common/policy/allow_list.h"
#include "common/policy/decision_hash.h"
#include "common/policy/index.h"
#include "common/policy/index_format.h"
#include "common/policy/level.h"

namespace hone {
namespace {

using index_format::Header;
using index_format::KnobRecord;
using index_format::RuleRecord;
using index_format::TextSpan;

constexpr std::size_t kMaxTextBytes = 4096;

bool is_hex32(std::string_view text) {
  return text.size() == 32 && text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

// Texts of the string section, each stored once.
class StringTable {
 public:
  TextSpan add(const std::string& text) {
    const auto [entry, is_new] =
        spans_.try_emplace(text, TextSpan{static_cast<std::uint32_t>(bytes_.size()),
                                          static_cast<std::uint32_t>(text.size())});
    if (is_new) {
      bytes_ += text;
    }
    return entry->second;
  }
  const std::string& bytes() const { return bytes_; }

 private:
  std::unordered_map<std::string, TextSpan> spans_;
  std::string bytes_;
};

void check_rule(const Rule& rule, const CompilerScope& compiler, const std::string& pointer,
                std::vector<FieldProblem>& problems) {
  const auto refuse = [&](std::string_view field, std::string detail) {
    problems.push_back({pointer + "/" + std::string(field), std::move(detail)});
  };
  if (rule.source.empty() || rule.source.size() > kMaxTextBytes) {
    refuse("source", "must have 1 to 4096 bytes");
  }
  if (rule.output.size() > kMaxTextBytes) {
    refuse("output", "must have at most 4096 bytes");
  }
  if (!rule.option_fingerprint.empty() && !is_hex32(rule.option_fingerprint)) {
    refuse("options", "must be 32 lower-case hexadecimal digits");
  }
  if (!rule.source_hash.empty() && !is_hex32(rule.source_hash)) {
    refuse("source_hash", "must be 32 lower-case hexadecimal digits");
  }
  if (rule.on_source_change == OnSourceChange::plain && rule.source_hash.empty()) {
    refuse("source_hash", "is needed where on_source_change is plain");
  }
  if (rule.levels.empty()) {
    refuse("levels", "must name at least one level");
  }
  for (const std::string& level : rule.levels) {
    if (!level_bit(level)) {
      refuse("levels", "\"" + level + "\" is not one of " + std::string(kLevelChoices));
    }
  }
  const Result<void> allowed = check_decision(rule.decision, compiler.family, compiler.major);
  if (!allowed.has_value()) {
    refuse("pipeline", allowed.error().message);
  }
}

template <class Record>
void append_records(std::string& bytes, const std::vector<Record>& records) {
  // An empty vector may have no storage, and append(nullptr, 0) is undefined.
  if (!records.empty()) {
    bytes.append(reinterpret_cast<const char*>(records.data()), records.size() * sizeof(Record));
  }
}

}  // namespace

Result<std::string> compile_index(const Policy& policy) {
  if (policy.rules.size() > index_format::kMaxRules) {
    return fail(ErrorCode::too_large, "a policy has at most 1048576 rules");
  }
  std::vector<FieldProblem> problems;
  if (policy.compiler.family.empty() || policy.compiler.major <= 0) {
    problems.push_back({"/compiler", "needs a family and a major version"});
  }
  if (policy.cpu_limit_seconds < 0) {
    problems.push_back({"/cpu_limit_seconds", "must not be negative"});
  }
  for (std::size_t i = 0; i < policy.rules.size(); ++i) {
    check_rule(policy.rules[i], policy.compiler, "/rules/" + std::to_string(i), problems);
  }
  if (!problems.empty()) {
    return Error{ErrorCode::invalid_argument, "bad policy", std::move(problems)};
  }

  StringTable strings;
  std::vector<RuleRecord> rules;
  std::vector<KnobRecord> knobs;
  std::vector<std::uint32_t> globs;
  rules.reserve(policy.rules.size());
  for (const Rule& rule : policy.rules) {
    RuleRecord record;
    record.source = strings.add(rule.source);
    record.output = strings.add(rule.output);
    record.option_fingerprint = strings.add(rule.option_fingerprint);
    record.source_hash = strings.add(rule.source_hash);
    record.compiler_family = strings.add(policy.compiler.family);
    record.compiler_major = static_cast<std::uint32_t>(policy.compiler.major);
    record.pipeline = strings.add(rule.decision.pipeline);
    HONE_TRY(const std::string hash, decision_hash(rule.decision));
    record.decision_hash = strings.add(hash);
    for (const std::string& level : rule.levels) {
      record.levels |= *level_bit(level);
    }
    record.on_source_change = rule.on_source_change == OnSourceChange::plain ? 1 : 0;
    record.first_knob = static_cast<std::uint32_t>(knobs.size());
    for (const Knob& knob : rule.decision.knobs) {
      knobs.push_back({strings.add(knob.name), strings.add(knob.value)});
    }
    if (!rule.decision.choice.empty()) {
      knobs.push_back(
          {strings.add(std::string(index_format::kChoiceName)), strings.add(rule.decision.choice)});
    }
    record.knob_count = static_cast<std::uint32_t>(knobs.size()) - record.first_knob;
    if (index_format::is_pattern(rule.source)) {
      globs.push_back(static_cast<std::uint32_t>(rules.size()));
    }
    rules.push_back(record);
  }

  // Chains are built from the last rule on, so that each leads upwards.
  const std::size_t exact = rules.size() - globs.size();
  std::vector<std::uint32_t> buckets(exact == 0 ? 0 : std::bit_ceil(exact * 2));
  for (std::size_t i = rules.size(); i-- > 0;) {
    const std::string& source = policy.rules[i].source;
    if (!index_format::is_pattern(source)) {
      std::uint32_t& head =
          buckets[index_format::bucket_of(source, static_cast<std::uint32_t>(buckets.size()))];
      rules[i].next = head;
      head = static_cast<std::uint32_t>(i + 1);
    }
  }

  Header header;
  header.header_size = sizeof header;
  header.sequence = policy.sequence;
  header.expires_at = policy.expires_at;
  header.cpu_limit_seconds = policy.cpu_limit_seconds;
  header.rule_count = static_cast<std::uint32_t>(rules.size());
  header.knob_count = static_cast<std::uint32_t>(knobs.size());
  header.bucket_count = static_cast<std::uint32_t>(buckets.size());
  header.glob_count = static_cast<std::uint32_t>(globs.size());
  header.strings_size = static_cast<std::uint32_t>(strings.bytes().size());
  std::string bytes(sizeof header, '\0');
  append_records(bytes, rules);
  append_records(bytes, knobs);
  append_records(bytes, buckets);
  append_records(bytes, globs);
  bytes += strings.bytes();
  if (bytes.size() > index_format::kMaxBytes) {
    return fail(ErrorCode::too_large, "a policy's index has at most 256 MiB");
  }
  header.file_size = bytes.size();
  std::memcpy(bytes.data(), &header, sizeof header);
  const Hash128 checksum = hash128(std::string_view(bytes).substr(index_format::kChecksumEnd));
  header.checksum_low = checksum.low;
  header.checksum_high = checksum.high;
  std::memcpy(bytes.data(), &header, sizeof header);
  return bytes;
}

}  // namespace hone
