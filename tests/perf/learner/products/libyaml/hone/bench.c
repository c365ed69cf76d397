/* bench FILE TIMES: reads the document's events so often, then prints how many there were of each kind. */
#include <stdio.h>
#include <stdlib.h>
#include <yaml.h>

int main(int argc, char** argv) {
  if (argc != 3) {
    return 2;
  }
  unsigned long kinds[16] = {0};
  unsigned long bytes = 0;
  for (int i = 0; i < atoi(argv[2]); ++i) {
    FILE* file = fopen(argv[1], "rb");
    yaml_parser_t parser;
    if (!file || !yaml_parser_initialize(&parser)) {
      return 1;
    }
    yaml_parser_set_input_file(&parser, file);
    yaml_event_type_t kind;
    do {
      yaml_event_t event;
      if (!yaml_parser_parse(&parser, &event)) {
        fprintf(stderr, "line %zu: %s\n", parser.problem_mark.line, parser.problem);
        return 1;
      }
      kind = event.type;
      ++kinds[kind & 15];
      if (kind == YAML_SCALAR_EVENT) {
        bytes += event.data.scalar.length;
      }
      yaml_event_delete(&event);
    } while (kind != YAML_STREAM_END_EVENT);
    yaml_parser_delete(&parser);
    fclose(file);
  }
  for (int i = 0; i < 16; ++i) {
    printf("%lu ", kinds[i]);
  }
  printf("%lu\n", bytes);
  return 0;
}
