// Which programs are kin: modules of one package, programs of one generator. Families count alike,
// so that a package of many files does not decide alone. Plain functions. Thread safe.
#pragma once

#include <string>
#include <vector>

namespace hone {

// "benchmark://debian-v0/zstd" of "benchmark://debian-v0/zstd/lib/zstd.c", "generator://csmith-v0"
// of "generator://csmith-v0/5"; a program that is named otherwise is a family of its own.
std::string family_of(const std::string& uri);

// One for each program: 1 / the number of those of its family.
std::vector<double> family_weights(const std::vector<std::string>& uris);

}  // namespace hone
