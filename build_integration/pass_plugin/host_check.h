// Which LLVM the plugin has been loaded into. A plugin of another major does not always fail to
// load: it may run silently and wrongly, so it looks before it does anything.
#pragma once

namespace hone {

// Ends the process with exit code 70 and a marked line on standard error unless the host's LLVM is
// of the major the plugin was built for. Uses nothing of LLVM.
void require_matching_host();

}  // namespace hone
