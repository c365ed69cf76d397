/* bench FILE TIMES: reads the document and writes it again so often, then prints a hash of it. */
#include <jansson.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char** argv) {
  if (argc != 3) {
    return 2;
  }
  uint64_t hash = 14695981039346656037U;
  for (int i = 0; i < atoi(argv[2]); ++i) {
    json_error_t error;
    json_t* document = json_load_file(argv[1], 0, &error);
    if (!document) {
      fprintf(stderr, "line %d: %s\n", error.line, error.text);
      return 1;
    }
    char* text = json_dumps(document, JSON_SORT_KEYS | JSON_COMPACT);
    for (const char* byte = text; *byte; ++byte) {
      hash = (hash ^ (unsigned char)*byte) * 1099511628211U;
    }
    free(text);
    json_decref(document);
  }
  printf("%016llx\n", (unsigned long long)hash);
  return 0;
}
