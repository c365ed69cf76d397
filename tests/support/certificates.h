// Certificates made for a test: a CA of its own, and what it signs, as PEM files in a folder.
#pragma once

#include <filesystem>
#include <string>

namespace hone {

struct CertificateFiles {
  std::filesystem::path certificate;
  std::filesystem::path key;
};

class TestCa {
 public:
  // Makes `name`.pem and `name`.key below `folder`.
  TestCa(std::filesystem::path folder, const std::string& name);

  const std::filesystem::path& certificate() const { return files_.certificate; }

  // Signs a new key for a host name or address (or a client's name). Writes NAME.pem and NAME.key,
  // over what is there. A valid time of fewer than 0 days is over already.
  CertificateFiles sign(const std::string& name, const std::string& host, int days = 2) const;

 private:
  std::filesystem::path folder_;
  CertificateFiles files_;
};

}  // namespace hone
