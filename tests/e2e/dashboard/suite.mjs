// A few lines of a test runner: named tests one after the other, each in a browser context of its own, and a figure
// at the end. What a page writes to its console as an error, or refuses by its security policy, fails the test.
import { existsSync } from 'node:fs';
import { chromium } from 'playwright-core';

export function chromiumPath() {
  return [process.env.CHROMIUM, '/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find((path) => path && existsSync(path)) ?? null;
}

export async function launch() {
  // The sandbox of the browser needs rights that a container's root has not; nothing but our own page is opened.
  return chromium.launch({ executablePath: chromiumPath(), args: process.getuid() === 0 ? ['--no-sandbox'] : [] });
}

export class Suite {
  constructor(browser, world) {
    this.browser = browser;
    this.world = world;
    this.passed = 0;
    this.failed = [];
  }

  async test(name, run, context = {}) {
    const own = await this.browser.newContext({ viewport: { width: 1440, height: 900 }, ...context });
    own.setDefaultTimeout(15_000);
    const complaints = [];
    const forgiven = []; // what a test provokes on purpose
    const open = async (path, role = 'admin') => {
      const page = await own.newPage();
      page.on('pageerror', (error) => complaints.push(`${error.message}`));
      page.on('console', (message) => {
        // An answer that is refused on purpose is told by the browser, too.
        if (message.type() === 'error' && !/Failed to load resource/.test(message.text())) complaints.push(message.text());
      });
      page.on('request', (request) => {
        const url = new URL(request.url());
        if (!['data:', 'blob:'].includes(url.protocol) && url.origin !== new URL(this.world.url).origin) complaints.push(`another host was asked: ${request.url()}`);
        if (role && url.href.includes(this.world.token(role))) complaints.push(`a token in a URL: ${url.pathname}`);
      });
      if (role) {
        await page.addInitScript((token) => { if (!sessionStorage.getItem('hone-token')) sessionStorage.setItem('hone-token', token); }, this.world.token(role));
      }
      await page.goto(this.world.url + path);
      return page;
    };
    try {
      await run({ open, context: own, world: this.world, forgive: (pattern) => forgiven.push(pattern) });
      const left = complaints.filter((complaint) => !forgiven.some((pattern) => pattern.test(complaint)));
      if (left.length > 0) throw new Error(`the page complained: ${left.join(' | ')}`);
      this.passed += 1;
      console.log(`ok    ${name}`);
    } catch (error) {
      this.failed.push(name);
      console.log(`WRONG ${name}\n      ${String(error.stack ?? error).split('\n').slice(0, 12).join('\n      ')}`);
    } finally {
      await own.close();
    }
  }
}

export function equal(actual, expected, what) {
  if (actual !== expected) throw new Error(`${what}: ${JSON.stringify(actual)} instead of ${JSON.stringify(expected)}`);
}

export function check(condition, what) {
  if (!condition) throw new Error(what);
}
