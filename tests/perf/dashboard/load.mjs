// The dashboard's figures in Chromium: the bytes of the first load, a campaign of 10,000 candidates until it can be
// used, frames while 100,000 results are panned, memory over 10,000 live events.
//
//   node load.mjs --page DIR                          a built page on the coordinator of cardboard
//   node load.mjs --url URL --token-file FILE         honed, filled by tests/perf/dashboard_load.sh; the live events
//                                                     are the cardboard's, which serves honed's page
//
// The last line is the figure; exit code 1 if it falls short.
import { readFileSync } from 'node:fs';
import { startMock } from '../../e2e/dashboard/mock/server.mjs';
import { kBigCampaign } from '../../e2e/dashboard/mock/campaign.mjs';
import { launch } from '../../e2e/dashboard/suite.mjs';

const kMostBytes = 250 * 1000;
const kMostInteractiveMs = 1500;
const kMostFrameMs = 33;
const kCandidates = 10_000;
const kResults = 100_000;
const kEvents = 10_000;
const kMostGrowth = 0.1; // of the heap, or
const kMostGrowthBytes = 2e6;

const option = (name) => { const at = process.argv.indexOf(`--${name}`); return at < 0 ? null : process.argv[at + 1]; };
const mock = await startMock(option('url') ? { upstream: option('url') } : { page: option('page') });
const real = option('url') ? { url: option('url'), token: readFileSync(option('token-file'), 'utf8').trim() } : { url: mock.url, token: 'viewer-token' };

async function ask(path) {
  const reply = await fetch(real.url + path, { headers: { Authorization: `Bearer ${real.token}` } });
  if (!reply.ok) throw new Error(`GET ${path}: ${reply.status} ${await reply.text()}`);
  return reply.json();
}

async function fresh(browser, world, script) {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
  const page = await context.newPage();
  await page.addInitScript((token) => sessionStorage.setItem('hone-token', token), world.token);
  if (script) await page.addInitScript(script);
  return page;
}

function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)];
}

// What comes over the wire until the overview stands: the page's own files, without the data.
async function firstLoad(browser) {
  const page = await fresh(browser, real);
  const devtools = await page.context().newCDPSession(page);
  await devtools.send('Network.enable');
  const urls = new Map();
  let bytes = 0;
  devtools.on('Network.responseReceived', ({ requestId, response }) => urls.set(requestId, new URL(response.url).pathname));
  devtools.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => { if (!urls.get(requestId)?.startsWith('/v1/')) bytes += encodedDataLength; });
  await page.goto(`${real.url}/ui/overview`);
  await page.getByRole('table', { name: 'Targets' }).waitFor();
  await page.waitForTimeout(500);
  await page.context().close();
  return bytes;
}

// From the navigation, with an empty cache, until the table of all candidates and the chart were painted; then how long a click on
// a heading takes until the table is sorted and painted.
async function interactive(browser) {
  const campaigns = (await ask('/v1/campaigns?limit=200')).items.filter((campaign) => campaign.candidates >= kCandidates);
  if (campaigns.length === 0) throw new Error(`no campaign has ${kCandidates} candidates`);
  const page = await fresh(browser, real, () => {
    const painted = (name) => requestAnimationFrame(() => requestAnimationFrame(() => { window[name] ??= performance.now(); }));
    const watch = () => {
      const table = [...document.querySelectorAll('table')].find((one) => Number(one.getAttribute('aria-rowcount')) > 10_000);
      if (table && document.querySelector('canvas')) painted('standsAt');
      if (table?.querySelector('th[aria-sort=descending]')?.textContent.startsWith('pairs')) painted('sortedAt');
    };
    new MutationObserver(watch).observe(document, { childList: true, subtree: true, attributes: true });
  });
  const devtools = await page.context().newCDPSession(page);
  await devtools.send('Performance.enable', { timeDomain: 'threadTicks' });
  await page.goto(`${real.url}/ui/campaigns/${campaigns[0].id}`);
  const stands = await (await page.waitForFunction(() => window.standsAt)).jsonValue();
  const { metrics } = await devtools.send('Performance.getMetrics');
  const own = (metrics.find((metric) => metric.name === 'TaskDuration')?.value ?? 0) * 1000;
  const clicked = await page.evaluate(() => {
    const heading = [...document.querySelectorAll('thead button')].find((button) => button.textContent.startsWith('pairs'));
    const now = performance.now();
    heading.click();
    return now;
  });
  const sorted = await (await page.waitForFunction(() => window.sortedAt)).jsonValue();
  await page.context().close();
  return { stands, own, sorts: sorted - clicked };
}

// Frames while the mouse drags the chart back and forth, at three widths of its window.
// A hundredth fewer will do: of a coordinator's results some have no measurement.
async function panning(browser) {
  const overview = await ask('/v1/views/overview');
  let chosen = null;
  for (const target of overview.targets) {
    const history = await ask(`/v1/views/targets/${target.name}/history?points=100`);
    if (history.total >= kResults * 0.99) chosen = { name: target.name, total: history.total };
  }
  if (!chosen) throw new Error(`no target has ${kResults} results in one series`);
  const page = await fresh(browser, real);
  const whole = page.waitForResponse((reply) => reply.url().includes('points=100000'), { timeout: 60_000 });
  await page.goto(`${real.url}/ui/targets/${chosen.name}`);
  await (await whole).finished();
  const over = page.locator('.u-over').first();
  await over.waitFor();
  await page.waitForTimeout(1500);
  const frames = [];
  for (const zooms of [1, 2, 3]) {
    await page.getByRole('button', { name: 'Closer' }).click();
    await page.waitForTimeout(200);
    await page.evaluate(() => {
      window.frames_ = [];
      let last = performance.now();
      const next = (now) => { window.frames_.push(now - last); last = now; if (window.frames_.running !== false) requestAnimationFrame(next); };
      requestAnimationFrame(next);
    });
    const box = await over.boundingBox();
    await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
    await page.mouse.down();
    for (let step = 0; step < 120; step += 1) {
      await page.mouse.move(box.x + box.width / 2 + Math.sin(step / (6 + zooms)) * box.width * 0.4, box.y + box.height / 2);
    }
    await page.mouse.up();
    frames.push(...(await page.evaluate(() => { window.frames_.running = false; return window.frames_.slice(1); })));
    await page.waitForTimeout(600);
  }
  await page.context().close();
  return { median: median(frames), frames: frames.length, worst: Math.max(...frames), total: chosen.total };
}

// The heap behind a collection, before and after 10,000 events; the same number warms the page up first.
async function memory(browser) {
  const page = await fresh(browser, { token: 'viewer-token' });
  const devtools = await page.context().newCDPSession(page);
  await devtools.send('HeapProfiler.enable');
  await page.goto(`${mock.url}/ui/campaigns/${kBigCampaign}`);
  await page.getByText('live', { exact: true }).waitFor();
  let expected = 0;
  const told = async () => {
    expected += kEvents;
    await fetch(`${mock.url}/mock/events?count=${kEvents}`);
    await page.getByText(`${expected.toLocaleString('en-US')} events`).waitFor({ timeout: 60_000 });
    await page.waitForTimeout(2500);
    for (let round = 0; round < 3; round += 1) await devtools.send('HeapProfiler.collectGarbage');
    return (await devtools.send('Runtime.getHeapUsage')).usedSize;
  };
  const warm = await told();
  const after = await told();
  await page.context().close();
  return { warm, after, growth: after - warm };
}

const browser = await launch();
const failures = [];
const judge = (good, text) => {
  console.log(`${good ? 'ok    ' : 'SHORT '}${text}`);
  if (!good) failures.push(text);
};
try {
  const bytes = await firstLoad(browser);
  judge(bytes <= kMostBytes, `first load ${(bytes / 1000).toFixed(1)} kB compressed, at most ${kMostBytes / 1000} kB`);
  const { stands, own, sorts } = await interactive(browser);
  judge(stands <= kMostInteractiveMs, `${kCandidates} candidates can be used after ${Math.round(stands)} ms (${Math.round(own)} ms of the page's own processor time; sorted ${Math.round(sorts)} ms after a click), at most ${kMostInteractiveMs} ms`);
  const pan = await panning(browser);
  judge(pan.median <= kMostFrameMs, `${pan.total} results panned with a median frame of ${pan.median.toFixed(1)} ms (${pan.frames} frames, the longest ${Math.round(pan.worst)} ms), at most ${kMostFrameMs} ms`);
  const heap = await memory(browser);
  judge(heap.growth <= Math.max(kMostGrowthBytes, heap.warm * kMostGrowth), `heap ${(heap.warm / 1e6).toFixed(1)} MB, ${(heap.growth / 1e6).toFixed(2)} MB more after ${kEvents} more live events`);
} finally {
  await browser.close();
  mock.close();
}
console.log(failures.length === 0 ? 'the page is within its four bounds in Chromium' : `the page falls short of ${failures.length} of its four bounds in Chromium`);
process.exit(failures.length === 0 ? 0 : 1);
