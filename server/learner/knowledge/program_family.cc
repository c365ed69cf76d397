#include "server/learner/knowledge/program_family.h"

#include <map>

namespace hone {

std::string family_of(const std::string& uri) {
  // scheme://dataset/FAMILY/...
  const std::size_t dataset = uri.find("://");
  std::size_t end = uri.find('/', dataset == std::string::npos ? 0 : dataset + 3);
  if (end == std::string::npos) {
    return uri;
  }
  if (uri.starts_with("benchmark://debian-v0/")) {
    end = uri.find('/', end + 1);
  }
  return uri.substr(0, end);
}

std::vector<double> family_weights(const std::vector<std::string>& uris) {
  std::map<std::string, double> members;
  for (const std::string& uri : uris) {
    members[family_of(uri)] += 1;
  }
  std::vector<double> weights;
  weights.reserve(uris.size());
  for (const std::string& uri : uris) {
    weights.push_back(1 / members[family_of(uri)]);
  }
  return weights;
}

}  // namespace hone
