/* A second file, so that candidates decide about more than one. */
void scale(unsigned* data, int count, unsigned by) {
  for (int i = 0; i < count; ++i) data[i] = data[i] * by + (data[i] >> 7);
  for (int i = 1; i < count; ++i) data[i] += data[i - 1] & 0xff;
}
