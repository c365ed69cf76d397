// Points of Ed25519's curve whose order is 1, 2, 4 or 8. As a public key such a point makes a
// signature that anybody can write down hold, over many or all messages (RFC 8032 leaves refusing
// them to the user; OpenSSL does not).
#pragma once

#include <string_view>

namespace hone {

// Whether the 32 bytes of a public key are such a point, in whichever of its encodings: with either
// sign bit, and with y not reduced modulo 2^255 - 19.
bool is_small_order(std::string_view key);

}  // namespace hone
