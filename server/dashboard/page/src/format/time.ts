// Times and lengths of time. The server speaks RFC 3339 in UTC; a person reads local time.
const kMinute = 60;
const kHour = 60 * kMinute;
const kDay = 24 * kHour;

export function seconds(value: number): string {
  if (value < 1) {
    return `${Math.round(value * 1000)} ms`;
  }
  if (value < 10) {
    return `${value.toFixed(1)} s`;
  }
  const whole = Math.round(value);
  if (whole < kMinute) {
    return `${whole} s`;
  }
  if (whole < kHour) {
    return `${Math.floor(whole / kMinute)} min ${whole % kMinute} s`;
  }
  if (whole < kDay) {
    return `${Math.floor(whole / kHour)} h ${Math.floor((whole % kHour) / kMinute)} min`;
  }
  return `${Math.floor(whole / kDay)} d ${Math.floor((whole % kDay) / kHour)} h`;
}

// "4 min ago", "in 2 h": beside it stands the time itself, in a title or a column.
export function ago(at: string | null | undefined, now: number): string {
  if (!at) {
    return 'never';
  }
  const past = (now - Date.parse(at)) / 1000;
  if (Number.isNaN(past)) {
    return at;
  }
  const text = coarse(Math.abs(past));
  return past >= 0 ? `${text} ago` : `in ${text}`;
}

function coarse(value: number): string {
  if (value < kMinute) {
    return `${Math.round(value)} s`;
  }
  if (value < kHour) {
    return `${Math.round(value / kMinute)} min`;
  }
  if (value < 2 * kDay) {
    return `${Math.round(value / kHour)} h`;
  }
  return `${Math.round(value / kDay)} d`;
}

function two(value: number): string {
  return String(value).padStart(2, '0');
}

export function moment(at: string | null | undefined): string {
  if (!at) {
    return '\u2013';
  }
  const time = new Date(at);
  if (Number.isNaN(time.getTime())) {
    return at;
  }
  return (
    `${time.getFullYear()}-${two(time.getMonth() + 1)}-${two(time.getDate())} ` +
    `${two(time.getHours())}:${two(time.getMinutes())}`
  );
}
