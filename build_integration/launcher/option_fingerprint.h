// The option fingerprint of a compile: tells the objects of one source apart that are compiled with
// different options (the -fPIC twin), and is the same on every machine. Thread safe.
//
// XXH3-128 over the options in order, response files taken apart, without: input, output, -c,
// dependency files (-M...), warnings and messages (-W but not -Wa, -Wl, -Wp; -w, -pedantic,
// -fdiagnostics-..., colours), -pipe, -save-... Paths below HONE_ROOT are taken relative to it:
// values of -I and its like, and what follows '=' or stands as an argument of its own.
#pragma once

#include <string>
#include <vector>

#include "build_integration/launcher/command_line.h"
#include "build_integration/launcher/source_root.h"

namespace hone {

// 32 lower-case hexadecimal digits.
std::string option_fingerprint(const std::vector<Option>& options, const SourceRoot& root);

}  // namespace hone
