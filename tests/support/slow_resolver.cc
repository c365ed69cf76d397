// Loaded with LD_PRELOAD: a C library whose name server never answers.
#include <netdb.h>
#include <unistd.h>

extern "C" int getaddrinfo(const char* /*node*/, const char* /*service*/, const addrinfo* /*hints*/,
                           addrinfo** /*result*/) {
  for (;;) {
    ::pause();
  }
}
