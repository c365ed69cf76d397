// Each view shows what it is there for, in both themes, and its URL opens it anew.
import { check, equal } from './suite.mjs';
import { viewsOf } from './world.mjs';

const kMostRequests = 3;

export async function testViews(suite) {
  const views = viewsOf(suite.world);
  for (const [name, view] of Object.entries(views)) {
    await suite.test(`view ${name} opens from its URL`, async ({ open, context }) => {
      const asked = [];
      context.on('request', (request) => {
        const path = new URL(request.url()).pathname;
        // Who we are is asked once a page; a stream or a session is no view's data.
        if (path.startsWith('/v1/') && !/^\/v1\/(whoami|events|sessions)/.test(path)) asked.push(path);
      });
      const page = await open(view.path);
      await page.locator(view.ready).first().waitFor();
      check(asked.length <= kMostRequests, `${asked.length} requests: ${asked.join(' ')}`);
      equal(await page.locator('h1').count(), 1, 'headings of the first level');
      check((await page.title()).endsWith(' · Hone'), 'the title names no view');
      equal(await page.locator('[role=alert]:not(:empty)').count(), 0, 'alerts');
      const buttons = await page.getByRole('group', { name: 'Download' }).first().getByRole('button').allTextContents();
      equal(buttons.join(), 'CSV,JSON', 'downloads');
    });
  }
  await suite.test('an unknown place says so', async ({ open }) => {
    const page = await open('/ui/nothing/here');
    await page.getByRole('heading', { name: 'There is no such view' }).waitFor();
  });
  await suite.test('an id that is none says what the server said', async ({ open }) => {
    const page = await open('/ui/campaigns/00000000-0000-4000-8000-00000000dead');
    await page.getByRole('alert').waitFor();
  });
  await suite.test('links lead on, and Back leads back', async ({ open, world }) => {
    const page = await open('/ui/campaigns');
    await page.locator(`a[href="/ui/campaigns/${world.campaign}"]`).first().click();
    await page.locator('canvas').first().waitFor();
    equal(new URL(page.url()).pathname, `/ui/campaigns/${world.campaign}`, 'the path');
    equal(await page.evaluate(() => document.activeElement?.tagName), 'H1', 'what has the focus');
    await page.goBack();
    await page.getByRole('heading', { name: 'Campaigns', level: 1 }).waitFor();
  });
  await suite.test('a filter and an order are in the URL and come back with it', async ({ open, world }) => {
    const page = await open(`/ui/campaigns/${world.campaign}`);
    await page.getByRole('search', { name: 'Filter candidates' }).getByRole('searchbox').fill('0.');
    await page.getByRole('table', { name: 'Candidates', exact: true }).getByRole('button', { name: 'pairs' }).click();
    const url = new URL(page.url());
    equal(url.searchParams.get('q'), '0.', 'the text');
    equal(url.searchParams.get('order'), '-pairs', 'the order');
    const again = await open(url.pathname + url.search);
    await again.locator('th[aria-sort=descending]:has-text("pairs")').waitFor();
    equal(await again.getByRole('searchbox').inputValue(), '0.', 'the text of the second page');
  });
  await suite.test('the winner is explained, its samples are drawn, its parent is named', async ({ open, world }) => {
    const page = await open(`/ui/candidates/${world.candidate}`);
    await page.getByRole('region', { name: 'Verdict' }).getByText(/could have seen|every run gives the same/).waitFor();
    const pairs = page.getByText(/as a table/);
    await pairs.click();
    await page.getByRole('table', { name: 'Pairs' }).waitFor();
    check((await page.locator('svg circle').count()) >= 3, 'no points in the strip');
    check((await page.locator('.tree li').count()) > 0, 'no tree of differences');
    await page.getByRole('table', { name: 'Files and what they were compiled with' }).waitFor();
  });
  await suite.test('the theme is the system’s until one is chosen, and the choice stays', async ({ open }) => {
    const page = await open('/ui/overview');
    const ground = () => page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
    const dark = await ground();
    await page.getByRole('button', { name: 'Dark' }).click();
    const light = await ground();
    check(dark !== light, 'the switch changes nothing');
    await page.reload();
    await page.getByRole('button', { name: 'Dark' }).waitFor();
    equal(await ground(), light, 'the ground after a reload');
  }, { colorScheme: 'dark' });
}
