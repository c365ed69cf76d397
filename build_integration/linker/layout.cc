#include "build_integration/linker/layout.h"

#include <algorithm>
#include <array>
#include <string>

#include "common/base/hash.h"
#include "common/base/random.h"

namespace hone {
namespace {

constexpr std::size_t kStep = 16;
constexpr std::size_t kFirst = 4096;
constexpr std::size_t kOther = 1024;
constexpr std::size_t kMostPaddings = 16;
constexpr std::array kFirstSections = {PaddedSection::text_unlikely,
                                       PaddedSection::text_startup,
                                       PaddedSection::text_hot,
                                       PaddedSection::text,
                                       PaddedSection::rodata,
                                       PaddedSection::data,
                                       PaddedSection::bss};
constexpr std::array kOtherSections = {PaddedSection::text_hot, PaddedSection::text,
                                       PaddedSection::rodata, PaddedSection::data,
                                       PaddedSection::bss};

template <class Sections>
std::vector<PaddingPart> draw_parts(const Sections& sections, std::size_t most, Random& random) {
  std::vector<PaddingPart> parts;
  parts.reserve(sections.size());
  for (const PaddedSection section : sections) {
    parts.push_back({section, kStep * (1 + static_cast<std::size_t>(random.below(most / kStep)))});
  }
  return parts;
}

}  // namespace

std::vector<Padding> draw_layout(std::string_view program, std::size_t number, std::size_t places) {
  std::vector<Padding> layout;
  if (places == 0) {
    return layout;
  }
  Random random(hash128(std::string(program) + '\0' + std::to_string(number)).low);
  layout.push_back({0, draw_parts(kFirstSections, kFirst, random)});
  std::vector<std::size_t> others;
  for (std::size_t place = 1; place < places; ++place) {
    others.push_back(place);
  }
  random.shuffle(others);
  others.resize(std::min(others.size(), kMostPaddings - 1));
  std::ranges::sort(others);
  for (const std::size_t place : others) {
    layout.push_back({place, draw_parts(kOtherSections, kOther, random)});
  }
  return layout;
}

}  // namespace hone
