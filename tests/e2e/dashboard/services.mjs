// Services on which a real honed tries canaries while a browser looks on: this process is their Prometheus, and the
// traffic that honed shares out by a manifest is made up here. Each has its own address below /NAME.
//
//   mail    a canary whose tail is slow and which begins anew in some windows, which are lost: rolled back; then its budget is spent
//   search  a harmless canary, judged, which waits for somebody to approve it
//   feed, chat   canaries that stay at their first step
//   quiet   a service that Prometheus knows nothing of: its canary is told nothing
//   idle    one whose Prometheus does not answer: nobody knows its budget
import { createServer } from 'node:http';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { generator } from './mock/random.mjs';

const kScrape = 0.5; // seconds
const kRate = 4000; // requests a second
const kBounds = Array.from({ length: 40 }, (_, index) => Number((0.001 * 1.2 ** index).toPrecision(6)));
const kRamp = { steps: [5, 50], step_windows: 3, most_windows: 200, most_lost: 6 };

// Abramowitz and Stegun 7.1.26, good to seven digits.
function normalShare(z) {
  const x = Math.abs(z) / Math.SQRT2;
  const t = 1 / (1 + 0.3275911 * x);
  const erf = 1 - ((((1.061405429 * t - 1.453152027) * t + 1.421413741) * t - 0.284496736) * t + 0.254829592) * t * Math.exp(-x * x);
  return z < 0 ? (1 - erf) / 2 : (1 + erf) / 2;
}

// The share of requests in each bucket: a lognormal around 10 ms, whose slowest tenth is `stretched` on a scale of
// logarithms: the median stays where it is.
const kSlowest = 0.01 * Math.exp(0.4 * 1.2816);
function sharesOf(stretched) {
  const below = (bound) => normalShare(Math.log((bound <= kSlowest ? bound : kSlowest * (bound / kSlowest) ** (1 / stretched)) / 0.01) / 0.4);
  const cumulative = [...kBounds.map(below), 1];
  return cumulative.map((value, index) => value - (cumulative[index - 1] ?? 0));
}

class Service {
  constructor(name, folder, { stretched = 1, resets = () => false, silent = false } = {}) {
    this.name = name;
    this.silent = silent;
    this.resets = resets; // whether the canary begins anew, by the seconds since it first had traffic
    this.file = join(folder, `${name}.json`);
    this.random = generator(name.length * 100 + name.charCodeAt(0));
    this.shares = { baseline: sharesOf(1), canary: sharesOf(stretched) };
    this.scrapes = { baseline: [], canary: [] };
    this.failing = 0;
    this.next = Math.floor(Date.now() / 1000 / kScrape) * kScrape - 5;
    this.began = null;
  }

  share() {
    try {
      return JSON.parse(readFileSync(this.file, 'utf8')).spec.backends[1].weight / 100;
    } catch {
      return 0; // honed has not written it yet
    }
  }

  // Every scrape until now, however late we were asked: a slow machine makes no gap.
  catchUp() {
    const share = this.share();
    for (const now = Date.now() / 1000; this.next <= now; this.next += kScrape) {
      if (share > 0) this.began ??= this.next;
      this.scrape('baseline', 1 - share);
      this.scrape('canary', share);
    }
  }

  scrape(group, share) {
    const list = this.scrapes[group];
    const anew = group === 'canary' && this.began !== null && this.resets(this.next - this.began);
    const before = (anew ? null : list.at(-1)) ?? { buckets: kBounds.map(() => 0).concat(0), failures: 0, cpu: 0 };
    let sum = 0;
    const buckets = this.shares[group].map((part, index) => {
      sum += kRate * kScrape * share * part * Math.max(0, 1 + 0.03 * this.random.normal());
      return before.buckets[index] + sum;
    });
    const failures = before.failures + sum * (0.0002 + (group === 'baseline' ? this.failing : 0));
    list.push({ at: this.next, buckets, failures, cpu: before.cpu + sum * 0.002 * (1 + 0.01 * this.random.normal()) });
    if (list.length > 2400) list.shift();
  }

  reply(promql, at) {
    this.catchUp();
    const value = (result) => ({ status: 'success', data: { resultType: 'vector', result } });
    if (promql.startsWith('count by (le)')) return value(this.silent ? [] : kBounds.map((bound) => ({ metric: { le: String(bound) }, value: [at, '2'] })));
    const groups = ['baseline', 'canary'].filter((group) => promql.includes('=~') || promql.includes(`group="${group}"`));
    if (promql.startsWith('sum(increase(')) {
      const le = /le="([^"]+)"/.exec(promql)?.[1];
      // One group is asked for by a second label beside that of both.
      const one = groups.filter((group) => promql.includes(`group="${group}"`));
      const total = (one.length > 0 ? one : groups).reduce((sum, group) => {
        const last = this.scrapes[group].findLast((scrape) => scrape.at <= at);
        if (!last) return sum;
        return sum + (promql.includes('failures') ? last.failures : last.buckets[le ? kBounds.indexOf(Number(le)) : kBounds.length]);
      }, 0);
      return value(this.silent ? [] : [{ metric: {}, value: [at, String(total)] }]);
    }
    const reach = Number(/\[(\d+)ms\]/.exec(promql)[1]) / 1000;
    const series = (group, read, labels) => ({ metric: { group, ...labels }, values: this.scrapes[group].filter((scrape) => scrape.at <= at && scrape.at > at - reach).map((scrape) => [scrape.at, String(read(scrape))]) });
    const result = this.silent ? [] : groups.flatMap((group) => promql.includes('_bucket')
      ? [...kBounds, '+Inf'].map((le, index) => series(group, (scrape) => scrape.buckets[index], { le: String(le) }))
      : [series(group, (scrape) => (promql.includes('failures') ? scrape.failures : scrape.cpu), {})]);
    return { status: 'success', data: { resultType: 'matrix', result: result.filter((one) => one.values.length > 0) } };
  }
}

export async function startServices() {
  const folder = mkdtempSync(join(tmpdir(), 'hone-services-'));
  // Single windows, each fourth: two of three in a row would count as a canary that is down.
  const some = (seconds) => [1.5, 5.5, 9.5].includes(seconds);
  const services = new Map([
    new Service('mail', folder, { stretched: 2.5, resets: some }), new Service('search', folder), new Service('feed', folder), new Service('chat', folder), new Service('quiet', folder, { silent: true }),
  ].map((service) => [service.name, service]));
  const server = createServer((request, reply) => {
    const url = new URL(request.url, 'http://x');
    const service = services.get(url.pathname.split('/')[1]);
    reply.writeHead(service ? 200 : 404, { 'Content-Type': 'application/json' });
    reply.end(service ? JSON.stringify(service.reply(url.searchParams.get('query'), Number(url.searchParams.get('time')))) : '{}');
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = `http://127.0.0.1:${server.address().port}`;
  return {
    fail: (name) => { services.get(name).failing = 0.2; },
    // honed may write a manifest while they are removed.
    close: () => { server.closeAllConnections(); server.close(); rmSync(folder, { recursive: true, force: true, maxRetries: 10 }); },
    describe: (name) => ({
      prometheus: name === 'idle' ? 'http://127.0.0.1:9' : `${address}/${name}`, metrics: { latency: 'request_seconds', failures: 'request_failures_total' },
      window_seconds: 1, scrape_seconds: kScrape, objective: { good_share: 0.99, latency: 0.25, window_seconds: 3600 }, limits: [{ sli: 'latency_p99', limit: 0.5 }],
      traffic: { manifest: { file: join(folder, `${name}.json`), name, service: name, baseline: `${name}-baseline`, canary: `${name}-canary` } },
    }),
  };
}

const kNames = ['mail', 'search', 'feed', 'chat', 'quiet', 'idle'];

// Targets, policies, services and canaries on a honed, until each is where the tests want it. `ask` sends a request as
// an admin; `like`: a target whose description others get. Gives the ids.
export async function seedCanaries(ask, services, like) {
  const { spec } = await ask('GET', `/v1/targets/${like}`);
  const ids = {};
  for (const name of kNames) {
    await ask('PUT', `/v1/targets/${name}`, { ...spec, name });
    const document = { format: 1, target: name, sequence: 1, compiler: { family: 'clang', major: 19 }, rules: [] };
    await ask('POST', `/v1/policies/${name}`, { document, signature: null });
    await ask('PUT', `/v1/targets/${name}/service`, services.describe(name));
    if (name === 'idle') continue;
    const stays = name === 'feed' || name === 'chat';
    const ramp = { ...kRamp, approval: 'by_hand', ...(stays ? { step_windows: 1000, most_windows: 1000 } : {}) };
    ids[name] = (await ask('POST', '/v1/canaries', { target: name, policy_version: 1, ramp })).id;
  }
  const until = async (name, done) => {
    for (const end = Date.now() + 180_000; ;) {
      const view = await ask('GET', `/v1/views/canaries/${ids[name]}`);
      if (done(view)) return;
      if (Date.now() > end) throw new Error(`the canary of ${name} stays ${JSON.stringify(view.canary.status)}`);
      await new Promise((resolve) => setTimeout(resolve, 300));
    }
  };
  await until('mail', (view) => view.canary.status.state === 'rolled_back' && view.taught !== null);
  await until('quiet', (view) => view.canary.status.state === 'rolled_back' && view.taught !== null);
  await until('search', (view) => view.canary.status.state === 'judged');
  services.fail('mail');
  await ask('PUT', '/v1/targets/mail/service', services.describe('mail')); // so that its budget is asked for at once
  for (const end = Date.now() + 90_000; ;) {
    const mail = (await ask('GET', '/v1/views/canaries?target=mail')).services[0];
    if (mail.stopped) break;
    if (Date.now() > end) throw new Error(`the budget of mail is not spent: ${JSON.stringify(mail.budget)}`);
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
  return ids;
}
