/* Loops that -O3 unrolls and vectorises, and calls that it inlines: much to be had by doing less. */
static unsigned step(unsigned x, unsigned k) {
  for (unsigned i = 0; i < (k & 7); ++i) x = (x ^ (x >> 13)) * 1664525u + (k << i);
  return x % 17 == 3 ? x / 3 : x % 5 == 2 ? x * 9 + k : x - k;
}

unsigned mix(const unsigned* data, int count) {
  unsigned sum = 1;
  for (int i = 0; i < count; ++i) sum += step(data[i], sum) + step(sum, data[i]);
  for (int i = 0; i < count; ++i) sum ^= data[i] * 3u + (data[i] >> 5);
  for (int i = 0; i + 4 < count; i += 3) sum += step(data[i] ^ data[i + 1], step(data[i + 2], sum));
  return sum;
}
