// The files of the dashboard's page, as its build made them; embed_page.cmake writes the function.
// Thread safe.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace hone {

struct PageFile {
  std::string_view path;     // "/index.html", "/assets/main-4f2a.js"
  std::string_view content;  // lives as long as the program
  std::string_view sha256;   // of the content
};

// At least /index.html.
const std::vector<PageFile>& embedded_page();

}  // namespace hone
