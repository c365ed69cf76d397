// Secrets of tokens as the table has them.
//
// A token that is confined or expires is kept under another hash than others, which only those who
// look at its limits ask for: a honed of an earlier release, beside us on the same database, does
// not know it, rather than letting it do everything.
#pragma once

#include <string>

namespace hone {

// SHA-256 in hexadecimal digits, of a token without limits and of one with some.
std::string plain_secret_hash(const std::string& secret);
std::string limited_secret_hash(const std::string& secret);

}  // namespace hone
