// Watches the newest campaign of a honed from its first event to its end: node live.mjs --url URL --token-file FILE
import { readFileSync } from 'node:fs';
import { launch } from './suite.mjs';

const option = (name) => process.argv[process.argv.indexOf(`--${name}`) + 1];
const url = option('url');
const token = readFileSync(option('token-file'), 'utf8').trim();
const kMostMs = 600_000;

async function newest() {
  const reply = await fetch(`${url}/v1/campaigns?limit=1`, { headers: { Authorization: `Bearer ${token}` } });
  return (await reply.json()).items?.[0] ?? null;
}

let campaign = null;
for (let tries = 0; !campaign && tries < 240; tries += 1) {
  campaign = await newest();
  if (!campaign) await new Promise((resolve) => setTimeout(resolve, 500));
}
if (!campaign) throw new Error('no campaign began');
const browser = await launch();
const page = await browser.newPage();
const failures = [];
page.on('pageerror', (error) => failures.push(error.message));
let loads = 0;
page.on('framenavigated', (frame) => { if (frame === page.mainFrame()) loads += 1; });
await page.addInitScript((value) => sessionStorage.setItem('hone-token', value), token);
await page.goto(`${url}/ui/campaigns/${campaign.id}`);
const counts = new Set();
const states = new Set();
const end = Date.now() + kMostMs;
while (Date.now() < end) {
  const { state, count } = await page.evaluate(() => ({
    state: document.querySelector('h1 .badge')?.textContent ?? '',
    count: /^([\d,]+) of/.exec([...document.querySelectorAll('.figure')].find((figure) => figure.textContent.includes('candidates finished'))?.querySelector('b')?.textContent ?? '')?.[1] ?? '',
  }));
  if (state) states.add(state);
  if (count) counts.add(count);
  if (['finished', 'failed', 'cancelled'].includes(state)) break;
  await page.waitForTimeout(250);
}
await browser.close();
const shown = `a live campaign was watched through ${[...states].join(', ')}, with ${counts.size} counts of finished candidates, on one load of the page`;
const good = states.has('racing') && states.has('finished') && counts.size >= 3 && loads === 1 && failures.length === 0;
console.log(good ? shown : `WRONG: ${shown} (${loads} loads) ${failures.join('; ')}`);
process.exit(good ? 0 : 1);
