#include "common/archive/utf8_locale.h"

namespace hone {

// newlocale fails only where C.UTF-8 is missing; names outside ASCII are then refused, not mangled.
Utf8Locale::Utf8Locale()
    : ours_(newlocale(LC_CTYPE_MASK, "C.UTF-8", nullptr)),
      before_(ours_ != nullptr ? uselocale(ours_) : nullptr) {}

Utf8Locale::~Utf8Locale() {
  if (ours_ != nullptr) {
    uselocale(before_);
    freelocale(ours_);
  }
}

}  // namespace hone
