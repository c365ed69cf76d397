// How differently two words are spelled.
#pragma once

#include <string_view>

// The smallest number of letters to insert, remove or replace that makes one word the other.
unsigned edit_distance(std::string_view a, std::string_view b);
