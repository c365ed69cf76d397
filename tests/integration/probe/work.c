/* Some 50 ms of integer work that no compiler can leave out. */
unsigned long work(unsigned long rounds) {
  unsigned long state = 88172645463325252UL;
  unsigned long sum = 0;
  for (unsigned long i = 0; i < rounds; ++i) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    sum += state & 0xff;
  }
  return sum;
}
