// File names in archives are UTF-8 whatever the user's locale: libarchive converts by the thread's
// locale and drops what does not fit. Gives the calling thread C.UTF-8 as long as it lives.
#pragma once

#include <locale.h>

#include <clocale>

namespace hone {

class Utf8Locale {
 public:
  Utf8Locale();
  ~Utf8Locale();
  Utf8Locale(const Utf8Locale&) = delete;
  Utf8Locale& operator=(const Utf8Locale&) = delete;

 private:
  locale_t ours_;
  locale_t before_;
};

}  // namespace hone
