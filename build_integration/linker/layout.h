// Where padding goes in one further link of a program, and how much. Pure, thread safe.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "build_integration/linker/padding_object.h"

namespace hone {

struct Padding {
  std::size_t place = 0;  // before which of the link's inputs, counted over objects and archives
  std::vector<PaddingPart> parts;
  bool operator==(const Padding&) const = default;
};

// Layout `number` (from 1) of the program with this name, among `places` inputs; the same each
// time, so that building again gives the same copies. Sorted by place.
//
// The first input always has padding, of up to 4 KiB in each section: that moves everything by any
// multiple of 16 within a page, which is what caches, branch predictors and fetch windows see of an
// address. Up to 15 others, drawn at random, have up to 1 KiB, which moves objects against each
// other; more would only spread the program over more pages than the plain link has.
std::vector<Padding> draw_layout(std::string_view program, std::size_t number, std::size_t places);

}  // namespace hone
