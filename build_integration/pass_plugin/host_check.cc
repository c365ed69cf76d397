#include "build_integration/pass_plugin/host_check.h"

#include <dlfcn.h>
#include <unistd.h>

#include <cstring>

#include <llvm/Config/llvm-config.h>

namespace hone {
namespace {

// Debian's and upstream's libLLVM version their symbols: LLVM_14, LLVM_15, LLVM_16, LLVM_19.1.
#define HONE_TEXT_OF(value) #value
#define HONE_TEXT(value) HONE_TEXT_OF(value)
#if LLVM_VERSION_MAJOR >= 18
#define HONE_LLVM_SYMBOL_VERSION \
  "LLVM_" HONE_TEXT(LLVM_VERSION_MAJOR) "." HONE_TEXT(LLVM_VERSION_MINOR)
#else
#define HONE_LLVM_SYMBOL_VERSION "LLVM_" HONE_TEXT(LLVM_VERSION_MAJOR)
#endif

constexpr int kExitSoftware = 70;

// Before the constructors of this file's other objects: they register command line options with a
// library that may not be the one we know.
__attribute__((constructor(101))) void check_at_load() {
  require_matching_host();
}

}  // namespace

void require_matching_host() {
  if (::dlvsym(RTLD_DEFAULT, "LLVMContextCreate", HONE_LLVM_SYMBOL_VERSION) != nullptr) {
    return;
  }
  static constexpr char kMessage[] =
      "hone-pass: host: the compiler's LLVM is not " HONE_LLVM_SYMBOL_VERSION "\n";
  [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, kMessage, std::strlen(kMessage));
  ::_exit(kExitSoftware);
}

}  // namespace hone
