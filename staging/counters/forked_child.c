/* Loaded into programs that callgrind counts (callgrind_counter.h). A process that was forked starts
   with the counts of its parent, which its parent reports as well: callgrind is told to begin anew
   where this function is called, which libc does in every forked child. */
#include <pthread.h>

__attribute__((visibility("default"), noinline)) void hone_forked_child(void) {
  __asm__ volatile("");
}

__attribute__((constructor)) static void ask_for_calls(void) {
  pthread_atfork(NULL, NULL, hone_forked_child);
}
