// Random numbers that are the same in every run.
export function generator(seed) {
  let state = seed >>> 0;
  const uniform = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
  return {
    uniform,
    below: (n) => Math.floor(uniform() * n),
    normal: () => Math.sqrt(-2 * Math.log(1 - uniform())) * Math.cos(2 * Math.PI * uniform()),
    pick: (list) => list[Math.floor(uniform() * list.length)],
  };
}

export function uuid(kind, number) {
  return `00000000-0000-4000-8${kind.toString(16).padStart(3, '0')}-${number.toString(16).padStart(12, '0')}`;
}
