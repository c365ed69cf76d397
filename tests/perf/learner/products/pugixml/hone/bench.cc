// bench FILE TIMES: reads the document, walks it and writes it so often, then prints what was seen.
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "pugixml.hpp"

namespace {

struct Hash : pugi::xml_writer {
  std::uint64_t value = 14695981039346656037U;
  void write(const void* data, std::size_t size) override {
    const auto* bytes = static_cast<const unsigned char*>(data);
    for (std::size_t i = 0; i < size; i += 64) {
      value = (value ^ bytes[i]) * 1099511628211U;
    }
  }
};

struct Walk : pugi::xml_tree_walker {
  std::size_t nodes = 0;
  std::size_t attributes = 0;
  double sum = 0;
  bool for_each(pugi::xml_node& node) override {
    ++nodes;
    for (const pugi::xml_attribute attribute : node.attributes()) {
      attributes += attribute.value()[0] != 0;
    }
    sum += node.name()[0] == 's' ? node.text().as_double() : 0;
    return true;
  }
};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    return 2;
  }
  Hash hash;
  Walk walk;
  for (int i = 0; i < std::atoi(argv[2]); ++i) {
    pugi::xml_document document;
    if (const auto read = document.load_file(argv[1]); !read) {
      std::fprintf(stderr, "%s\n", read.description());
      return 1;
    }
    document.traverse(walk);
    document.save(hash);
  }
  std::printf("%zu %zu %.6g %016llx\n", walk.nodes, walk.attributes, walk.sum,
              static_cast<unsigned long long>(hash.value));
}
