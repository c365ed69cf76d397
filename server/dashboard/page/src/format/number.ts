// Numbers as people read them. What was not measured is said in words: a missing number is never 0.
export const kNotMeasured = 'not measured';

// A true minus sign is as wide as a digit or a plus: columns of numbers stay aligned.
const kMinus = '\u2212';

export function fixed(value: number, digits: number): string {
  const text = Math.abs(value).toFixed(digits);
  return value < 0 && Number(text) !== 0 ? kMinus + text : text;
}

export function signed(value: number, digits: number): string {
  const text = fixed(value, digits);
  return text.startsWith(kMinus) || Number(text) === 0 ? text : `+${text}`;
}

export function count(value: number | null | undefined): string {
  return value === null || value === undefined ? kNotMeasured : value.toLocaleString('en-US').replace('-', kMinus);
}

// "1 worker", "3 workers": for sentences, so that no reader meets "1 workers".
export function plural(value: number, one: string, many = `${one}s`): string {
  return `${count(value)} ${value === 1 ? one : many}`;
}

const kBinary = ['bytes', 'KiB', 'MiB', 'GiB', 'TiB'];

export function bytes(value: number | null | undefined): string {
  if (value === null || value === undefined) {
    return kNotMeasured;
  }
  let unit = 0;
  let scaled = value;
  while (Math.abs(scaled) >= 1024 && unit < kBinary.length - 1) {
    scaled /= 1024;
    unit += 1;
  }
  return `${unit === 0 ? fixed(scaled, 0) : significant(scaled, 4)} ${kBinary[unit] ?? ''}`;
}

// Four digits that matter, and no exponent where a person would not write one.
export function significant(value: number, digits = 4): string {
  if (value === 0 || !Number.isFinite(value)) {
    return String(value);
  }
  const magnitude = Math.floor(Math.log10(Math.abs(value)));
  if (magnitude < -5 || magnitude > 12) {
    return value.toExponential(digits - 1).replace('-', kMinus);
  }
  return fixed(value, Math.max(0, Math.min(12, digits - 1 - magnitude)));
}
