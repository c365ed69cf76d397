// Service level indicators as people read them. Each is a cost: lower is better.
import { fixed, kNotMeasured, significant } from './number';

const kNames: Record<string, string> = {
  latency_p50: 'p50',
  latency_p95: 'p95',
  latency_p99: 'p99',
  latency_spread: 'spread',
  failure_share: 'failures',
  cpu_per_request: 'CPU per request',
};

const kAbout: Record<string, string> = {
  latency_p50: 'half of the requests take less',
  latency_p95: '95 of 100 requests take less',
  latency_p99: '99 of 100 requests take less',
  latency_spread: 'ln(p95 / p5): grows when only the variance does',
  failure_share: 'compared by the shares that did not fail',
  cpu_per_request: 'processor time of the group, by its requests',
};

export function sliName(sli: string): string {
  return kNames[sli] ?? sli.replaceAll('_', ' ');
}

export function sliAbout(sli: string): string {
  return kAbout[sli] ?? '';
}

export function sliValue(sli: string, value: number | null | undefined): string {
  if (value === null || value === undefined) {
    return kNotMeasured;
  }
  if (sli === 'failure_share') {
    return `${fixed(value * 100, value < 0.01 ? 3 : 2)} %`;
  }
  if (sli === 'latency_spread') {
    return significant(value, 3);
  }
  return value < 1e-3 ? `${significant(value * 1e6, 3)} µs` : value < 1 ? `${significant(value * 1e3, 3)} ms` : `${significant(value, 3)} s`;
}
