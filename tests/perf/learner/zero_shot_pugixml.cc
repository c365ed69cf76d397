// zero_shot_pugixml MODE FILE: one of pugixml's uses over and over, for
// tests/perf/learner_zero_shot.sh. Prints a checksum of what came out.
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string_view>

#include "pugixml.hpp"

namespace {

class Checksum : public pugi::xml_writer {
 public:
  void write(const void* data, size_t size) override {
    for (const unsigned char c : std::string_view(static_cast<const char*>(data), size)) {
      add(c);
    }
  }
  void add(std::uint64_t value) { sum_ = (sum_ ^ value) * 1099511628211ULL; }
  std::uint64_t value() const { return sum_; }

 private:
  std::uint64_t sum_ = 14695981039346656037ULL;
};

void walk(const pugi::xml_document& document, Checksum& sum) {
  for (const pugi::xml_node item : document.child("items")) {
    sum.add(item.attribute("id").as_uint());
    sum.add(static_cast<std::uint64_t>(item.child("price").text().as_double() * 100));
    sum.add(std::strlen(item.child_value("name")));
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fputs("usage: zero_shot_pugixml parse|walk|xpath|save FILE\n", stderr);
    return 2;
  }
  const std::string_view mode = argv[1];
  Checksum sum;
  pugi::xml_document document;
  const int parses = mode == "parse" ? 60 : 1;
  for (int i = 0; i < parses; ++i) {
    if (!document.load_file(argv[2])) {
      return 1;
    }
    sum.add(document.document_element().last_child().attribute("id").as_uint());
  }
  if (mode == "walk") {
    for (int i = 0; i < 30; ++i) {
      walk(document, sum);
    }
  } else if (mode == "xpath") {
    for (int i = 0; i < 10; ++i) {
      sum.add(document.select_nodes("/items/item[@on='1']/tag[starts-with(@key,'a')]").size());
      sum.add(document.select_nodes("//item[price > 500]/name").size());
    }
  } else if (mode == "save") {
    for (int i = 0; i < 12; ++i) {
      document.save(sum, " ");
    }
  }
  std::printf("%016llx\n", static_cast<unsigned long long>(sum.value()));
  return 0;
}
