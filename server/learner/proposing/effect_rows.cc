#include "server/learner/proposing/effect_rows.h"

#include <map>
#include <string_view>

#include "common/base/hash.h"
#include "server/learner/proposing/candidate_parts.h"

namespace hone {
namespace {

// The variance of what a candidate has beside its parts.
constexpr double kRest = 0.1;
// What share of the time the files have that are not among the hot ones, all together: little, but
// a candidate that changes them is another one.
constexpr double kColdShare = 0.02;

using Amounts = std::map<std::uint64_t, double>;

std::uint64_t name_of(std::string_view text) {
  return hash128(text).low;
}

EffectAmounts sorted(const Amounts& amounts) {
  EffectAmounts list;
  list.reserve(amounts.size());
  for (const auto& [name, amount] : amounts) {
    list.push_back({name, amount});
  }
  return list;
}

EffectAmounts difference(const EffectAmounts& left, const EffectAmounts& right) {
  Amounts amounts;
  for (const auto& [name, amount] : left) {
    amounts[name] += amount;
  }
  for (const auto& [name, amount] : right) {
    amounts[name] -= amount;
  }
  return sorted(amounts);
}

double product(const EffectAmounts& left, const EffectAmounts& right) {
  double sum = 0;
  auto a = left.begin();
  auto b = right.begin();
  while (a != left.end() && b != right.end()) {
    if (a->name < b->name) {
      ++a;
    } else if (b->name < a->name) {
      ++b;
    } else {
      sum += a->amount * b->amount;
      ++a;
      ++b;
    }
  }
  return sum;
}

}  // namespace

EffectRow effect_row(const std::string& target, const Assignment& assignment, int llvm_major,
                     std::span<const FileShare> hot) {
  EffectRow row;
  row.target = target;
  row.rest = {{name_of(key_of(assignment)), 1}};
  Amounts parts;
  Amounts parts_of_file;
  const auto add = [&](const std::string& file, const Decision& decision, double share) {
    for (const auto& [part, amount] : parts_of(decision, llvm_major)) {
      parts[name_of(part)] += share * amount;
      parts_of_file[name_of(file + "\n" + part)] += share * amount;
    }
  };
  if (hot.empty()) {
    add("*", assignment.general, 1);
    for (const auto& [file, decision] : assignment.files) {
      add(file, decision, 1);
    }
  } else {
    double all = 0;
    for (const FileShare& file : hot) {
      all += file.share;
    }
    for (const FileShare& file : hot) {
      add(file.source, assignment.of(file.source), (1 - kColdShare) * file.share / all);
    }
    add("*", assignment.general, kColdShare);
  }
  row.parts = sorted(parts);
  row.parts_of_file = sorted(parts_of_file);
  return row;
}

EffectRow difference(const EffectRow& row, const EffectRow& other) {
  return {row.target, difference(row.parts, other.parts),
          difference(row.parts_of_file, other.parts_of_file), difference(row.rest, other.rest)};
}

double covariance(const EffectRow& left, const EffectRow& right, double sharing) {
  const double common = product(left.parts, right.parts);
  if (left.target != right.target) {
    return sharing * common;
  }
  return common + product(left.parts_of_file, right.parts_of_file) +
         kRest * product(left.rest, right.rest);
}

}  // namespace hone
