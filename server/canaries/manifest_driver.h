// The share of traffic as a manifest in a file, for meshes that are driven by files or by GitOps:
// an Argo Rollouts-style TrafficSplit (SMI, split.smi-spec.io/v1alpha4) of two services.
//
// Whoever applies the file is not seen: share() tells what was written, and a canary's windows
// count from then on. The file is replaced whole. Not thread safe.
#pragma once

#include <string>

#include "common/protocol/canary_spec.h"
#include "server/canaries/traffic_driver.h"

namespace hone {

class ManifestDriver : public TrafficDriver {
 public:
  explicit ManifestDriver(ManifestPlace place) : place_(std::move(place)) {}

  Async<void> set_share(int percent) override;
  // 0 if the file is not there yet; invalid_argument if it is none of ours.
  Async<int> share() override;

 private:
  ManifestPlace place_;
};

}  // namespace hone
