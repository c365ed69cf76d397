#include "common/policy/index.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <bit>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <utility>

#include "common/base/file.h"
#include "common/base/text.h"
#include "common/policy/index_format.h"
#include "common/policy/level.h"

namespace hone {
namespace {

using index_format::Header;
using index_format::KnobRecord;
using index_format::RuleRecord;
using index_format::TextSpan;

Error damaged(std::string_view what) {
  return fail(ErrorCode::invalid_argument, "damaged policy index: " + std::string(what));
}

struct Free {
  void operator()(char* memory) const { std::free(memory); }
};
using Memory = std::unique_ptr<char, Free>;

// Room for a file. For a large one in huge pages where the kernel has them: thousands of page
// faults would cost more than reading and checking it.
Memory make_room(std::size_t size) {
  constexpr std::size_t kHugePage = std::size_t{2} << 20U;
  constexpr std::size_t kWorthIt = std::size_t{256} << 10U;
  if (size < kWorthIt) {
    return Memory(static_cast<char*>(std::malloc(size)));
  }
  const std::size_t whole = (size + kHugePage - 1) / kHugePage * kHugePage;
  Memory memory(static_cast<char*>(std::aligned_alloc(kHugePage, whole)));
  if (memory) {
    ::madvise(memory.get(), whole, MADV_HUGEPAGE);
  }
  return memory;
}

// Reads up to `size` bytes; how many there were. It is less if the file is overwritten in place
// meanwhile.
Result<std::size_t> read_bytes(int file, char* memory, std::size_t size) {
  std::size_t have = 0;
  while (have < size) {
    const ssize_t got = ::read(file, memory + have, size - have);
    if (got < 0 && errno != EINTR) {
      return system_error("cannot read", errno);
    }
    if (got == 0) {
      break;
    }
    have += got > 0 ? static_cast<std::size_t>(got) : 0;
  }
  return have;
}

}  // namespace

// The file's bytes, and where each section begins. Copied, not mapped: a mapping changes under us,
// or ends in SIGBUS, when the file is overwritten in place.
class PolicyIndex::Bytes {
 public:
  explicit Bytes(std::string owned) : owned_(std::move(owned)), all_(owned_) {}
  Bytes(Memory memory, std::size_t size) : memory_(std::move(memory)), all_(memory_.get(), size) {}
  Bytes(const Bytes&) = delete;
  Bytes& operator=(const Bytes&) = delete;

  std::string_view all() const { return all_; }

  // Checked once by PolicyIndex::check: after that every section lies within the file.
  Header header;
  std::size_t knobs_at = 0;
  std::size_t buckets_at = 0;
  std::size_t globs_at = 0;
  std::size_t strings_at = 0;

  // Copies, since nothing in the file need be aligned for us. The caller checked the number.
  template <class Record>
  Record record(std::size_t section, std::uint32_t number) const {
    Record value;
    std::memcpy(&value, all_.data() + section + sizeof(Record) * number, sizeof value);
    return value;
  }

  std::optional<std::string_view> text(TextSpan span) const {
    if (span.offset > header.strings_size || span.size > header.strings_size - span.offset) {
      return std::nullopt;
    }
    return all_.substr(strings_at + span.offset, span.size);
  }

 private:
  std::string owned_;
  Memory memory_;
  std::string_view all_;
};

namespace {

// Whether a rule holds for a compile, beside its source. Nothing for a damaged record.
template <class Bytes>
std::optional<bool> holds(const Bytes& bytes, const RuleRecord& rule, const CompileKey& key,
                          std::uint32_t level) {
  if ((rule.levels & level) == 0 ||
      rule.compiler_major != static_cast<std::uint32_t>(key.compiler_major)) {
    return false;
  }
  const auto family = bytes.text(rule.compiler_family);
  const auto output = bytes.text(rule.output);
  const auto fingerprint = bytes.text(rule.option_fingerprint);
  if (!family || !output || !fingerprint) {
    return std::nullopt;
  }
  return *family == key.compiler_family && (output->empty() || matches_glob(*output, key.output)) &&
         (fingerprint->empty() || *fingerprint == key.option_fingerprint);
}

}  // namespace

PolicyIndex::PolicyIndex(std::unique_ptr<Bytes> bytes) : bytes_(std::move(bytes)) {}
PolicyIndex::~PolicyIndex() = default;
PolicyIndex::PolicyIndex(PolicyIndex&&) noexcept = default;
PolicyIndex& PolicyIndex::operator=(PolicyIndex&&) noexcept = default;

Result<PolicyIndex> PolicyIndex::open(const std::filesystem::path& path) {
  const UniqueFd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!file) {
    if (errno == ENOENT || errno == ENOTDIR) {
      return fail(ErrorCode::not_found, "no policy index " + path.string());
    }
    return system_error("cannot open " + path.string(), errno);
  }
  struct stat status{};
  if (::fstat(file.get(), &status) != 0) {
    return system_error("cannot read " + path.string(), errno);
  }
  if (!S_ISREG(status.st_mode)) {
    return fail(ErrorCode::invalid_argument, path.string() + " is not a regular file");
  }
  const auto size = static_cast<std::uint64_t>(status.st_size);
  if (size < sizeof(Header) || size > index_format::kMaxBytes) {
    return fail(ErrorCode::invalid_argument, path.string() + " is no policy index");
  }
  Memory memory = make_room(size);
  if (!memory) {
    return system_error("no memory for " + path.string(), ENOMEM);
  }
  const Result<std::size_t> have = read_bytes(file.get(), memory.get(), size);
  if (!have.has_value()) {
    return have.error().within(path.string());
  }
  Result<PolicyIndex> index = check(std::make_unique<Bytes>(std::move(memory), *have));
  if (!index.has_value()) {
    return index.error().within(path.string());
  }
  return index;
}

Result<PolicyIndex> PolicyIndex::from_bytes(std::string bytes) {
  return check(std::make_unique<Bytes>(std::move(bytes)));
}

Result<PolicyIndex> PolicyIndex::check(std::unique_ptr<Bytes> bytes) {
  Header& header = bytes->header;
  const std::string_view all = bytes->all();
  if (all.size() < sizeof header) {
    return damaged("too short");
  }
  std::memcpy(&header, all.data(), sizeof header);
  if (header.magic != index_format::kMagic) {
    return fail(ErrorCode::invalid_argument, "no policy index");
  }
  if (header.version != index_format::kVersion || header.header_size != sizeof header) {
    return fail(ErrorCode::invalid_argument,
                "policy index of version " + std::to_string(header.version) +
                    ", this launcher reads " + std::to_string(index_format::kVersion));
  }
  if (header.file_size != all.size()) {
    return damaged("its size is not the recorded one");
  }
  if (hash128(all.substr(index_format::kChecksumEnd)) !=
      Hash128{header.checksum_low, header.checksum_high}) {
    return damaged("its checksum does not match");
  }
  if (header.rule_count > index_format::kMaxRules ||
      (header.bucket_count != 0 && !std::has_single_bit(header.bucket_count))) {
    return damaged("impossible counts");
  }
  // 64-bit sums of 32-bit counts cannot overflow.
  bytes->knobs_at = sizeof header + sizeof(RuleRecord) * std::size_t{header.rule_count};
  bytes->buckets_at = bytes->knobs_at + sizeof(KnobRecord) * std::size_t{header.knob_count};
  bytes->globs_at = bytes->buckets_at + sizeof(std::uint32_t) * std::size_t{header.bucket_count};
  bytes->strings_at = bytes->globs_at + sizeof(std::uint32_t) * std::size_t{header.glob_count};
  if (bytes->strings_at + header.strings_size != all.size()) {
    return damaged("its sections do not fill the file");
  }
  return PolicyIndex(std::move(bytes));
}

Result<std::optional<IndexMatch>> PolicyIndex::find(const CompileKey& key) const {
  const Header& header = bytes_->header;
  const std::optional<std::uint32_t> level = level_bit(key.level);
  if (!level) {
    return std::optional<IndexMatch>();
  }
  std::uint32_t best = header.rule_count;

  // Exact sources: the chain leads upwards, so its first match is its lowest.
  std::uint32_t next = 0;
  if (header.bucket_count != 0) {
    next = bytes_->record<std::uint32_t>(bytes_->buckets_at,
                                         index_format::bucket_of(key.source, header.bucket_count));
  }
  while (next != 0) {
    const std::uint32_t number = next - 1;
    if (number >= header.rule_count) {
      return damaged("a bucket leads outside");
    }
    const auto rule = bytes_->record<RuleRecord>(sizeof header, number);
    const auto source = bytes_->text(rule.source);
    if (!source) {
      return damaged("a text lies outside");
    }
    if (*source == key.source) {
      const std::optional<bool> matches = holds(*bytes_, rule, key, *level);
      if (!matches) {
        return damaged("a text lies outside");
      }
      if (*matches) {
        best = number;
        break;
      }
    }
    if (rule.next != 0 && rule.next <= next) {
      return damaged("a bucket leads backwards");
    }
    next = rule.next;
  }

  for (std::uint32_t i = 0; i < header.glob_count; ++i) {
    const auto number = bytes_->record<std::uint32_t>(bytes_->globs_at, i);
    if (number >= header.rule_count) {
      return damaged("a pattern's number lies outside");
    }
    if (number >= best) {
      break;
    }
    const auto rule = bytes_->record<RuleRecord>(sizeof header, number);
    const auto source = bytes_->text(rule.source);
    if (!source) {
      return damaged("a text lies outside");
    }
    if (matches_glob(*source, key.source)) {
      const std::optional<bool> matches = holds(*bytes_, rule, key, *level);
      if (!matches) {
        return damaged("a text lies outside");
      }
      if (*matches) {
        best = number;
        break;
      }
    }
  }
  if (best == header.rule_count) {
    return std::optional<IndexMatch>();
  }

  const auto rule = bytes_->record<RuleRecord>(sizeof header, best);
  const auto pipeline = bytes_->text(rule.pipeline);
  const auto hash = bytes_->text(rule.decision_hash);
  const auto source_hash = bytes_->text(rule.source_hash);
  if (!pipeline || !hash || !source_hash || rule.first_knob > header.knob_count ||
      rule.knob_count > header.knob_count - rule.first_knob) {
    return damaged("a text or knob lies outside");
  }
  IndexMatch match;
  match.rule = best;
  match.decision.pipeline = *pipeline;
  match.decision_hash = *hash;
  match.source_hash = *source_hash;
  match.on_source_change =
      rule.on_source_change == 0 ? OnSourceChange::keep : OnSourceChange::plain;
  for (std::uint32_t i = 0; i < rule.knob_count; ++i) {
    const auto knob = bytes_->record<KnobRecord>(bytes_->knobs_at, rule.first_knob + i);
    const auto name = bytes_->text(knob.name);
    const auto value = bytes_->text(knob.value);
    if (!name || !value) {
      return damaged("a text lies outside");
    }
    if (*name == index_format::kChoiceName) {
      match.decision.choice = *value;
    } else {
      match.decision.knobs.push_back({std::string(*name), std::string(*value)});
    }
  }
  return std::optional<IndexMatch>(std::move(match));
}

std::uint32_t PolicyIndex::rule_count() const {
  return bytes_->header.rule_count;
}
std::uint64_t PolicyIndex::sequence() const {
  return bytes_->header.sequence;
}
std::int64_t PolicyIndex::expires_at() const {
  return bytes_->header.expires_at;
}
std::int64_t PolicyIndex::cpu_limit_seconds() const {
  return bytes_->header.cpu_limit_seconds;
}

}  // namespace hone
