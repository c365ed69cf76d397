// Canaries: what is listed, what a lost window looks like, who may decide and is asked first, what is left of budgets,
// and that a living one changes by itself.
import { check, equal } from './suite.mjs';
import { mockState, until } from './world.mjs';

const ready = (page) => page.getByRole('table', { name: 'Indicators' }).waitFor();

export async function testCanaries(suite) {
  const { world } = suite;
  await suite.test('canaries are listed with state, share, verdict and policy; a filter is in the URL', async ({ open, world }) => {
    const page = await open('/ui/canaries');
    const table = page.getByRole('table', { name: 'Canaries' });
    const row = table.locator(`tr:has(a[href="/ui/canaries/${world.canary}"])`);
    for (const text of ['rolled back', '0 %', 'worse', world.mock ? 'v2' : 'v1']) await row.getByText(text, { exact: true }).first().waitFor();
    check(/^[+−]?\d+\.\d % \[[+−]?\d+\.\d, [+−]?\d+\.\d\]$/.test((await row.locator('td.number:has-text("[")').textContent()).trim()), 'the reward has no interval');
    await page.getByLabel('state').selectOption('judged');
    await until('the filter', async () => (await table.locator('tbody tr').count()) === 1);
    equal(new URL(page.url()).searchParams.get('state'), 'judged', 'the filter of the URL');
    await table.getByText('to be approved').waitFor();
    const again = await open(new URL(page.url()).pathname + new URL(page.url()).search);
    await again.getByRole('table', { name: 'Canaries' }).waitFor();
    equal(await again.getByRole('table', { name: 'Canaries' }).locator('tbody tr').count(), 1, 'rows of a shared URL');
  });

  await suite.test('what told nothing says so, and is no zero', async ({ open, world }) => {
    const page = await open('/ui/canaries');
    const row = page.locator(`tr:has(a[href="/ui/canaries/${world.toldNothing}"])`);
    await row.getByText('not measured').waitFor();
    equal(await row.locator('svg').count(), 0, 'marks of an interval that there is none of');
    const own = await open(`/ui/canaries/${world.toldNothing}`);
    await ready(own);
    const windows = own.getByRole('table', { name: 'Windows' });
    await windows.locator('tbody tr').first().waitFor();
    equal(await windows.locator('tbody tr:has(.quiet:text-is("lost"))').count(), await windows.locator('tbody tr').count(), 'windows that were lost');
    equal(await own.locator('svg .point').count(), 0, 'points of windows that told nothing');
    equal(await own.locator('svg .ratio').count(), 0, 'lines through nothing');
    await own.getByText('nothing was taught').waitFor();
  });

  await suite.test('each indicator is drawn over the windows; lost ones are crossed out and have no point', async ({ open, world }) => {
    const page = await open(`/ui/canaries/${world.canary}`);
    await ready(page);
    const charts = page.locator('figure');
    equal(await charts.count(), 6, 'indicators');
    const windows = await page.getByRole('img', { name: /^Ramp of the canary/ }).locator('.window, .lost').count();
    for (let chart = 0; chart < 6; chart += 1) {
      const lost = await charts.nth(chart).locator('.lost rect').count();
      check(lost >= 1 && lost < windows, `${lost} of ${windows} windows of chart ${chart} were lost`);
      if (world.mock) equal(lost, 3, `lost windows of chart ${chart}`);
      equal(await charts.nth(chart).locator('.point').count(), windows - lost, `points of chart ${chart}`);
      check((await charts.nth(chart).locator('.ratio .band').count()) > 0 && (await charts.nth(chart).locator('.detectable').count()) === 1, `chart ${chart} lacks its interval or the effect that would be seen`);
    }
    check(/p95, canary against baseline over \d+ windows, \d+ lost .*interval from −.* would be seen/.test(await page.getByRole('img', { name: /^p95/ }).getAttribute('aria-label')), 'a reader of screens is not told');
    await page.getByLabel('show').selectOption('values');
    await page.locator('svg .strip-candidate').first().waitFor();
    check((await page.locator('svg .limit').count()) > 0, 'no limit is drawn');
    equal(new URL(page.url()).searchParams.get('show'), 'values', 'what the URL says is shown');
    const limits = page.getByRole('table', { name: 'Hard limits' });
    await limits.getByText('p99').waitFor();
  });

  await suite.test('the decision has its reasons, its reward with an interval, and leads to policy and candidate', async ({ open, world }) => {
    const page = await open(`/ui/canaries/${world.canary}`);
    await ready(page);
    const decision = page.getByRole('region', { name: 'Decision', exact: true });
    await decision.getByText(/latency_p95 is worse by/).waitFor();
    check(/[+−]?\d+\.\d+ % \[[+−]?\d+\.\d+, [+−]?\d+\.\d+\].*95 % interval over \d+ windows: slower/.test(await decision.locator('dt:text-is("reward") + dd').textContent()), 'the reward');
    const trail = page.getByRole('list', { name: 'Decisions, newest first' });
    check((await trail.getByRole('listitem').count()) >= 2, 'decisions');
    check(/rolled back.*worse.*latency_p95 is worse/s.test(await trail.getByRole('listitem').first().textContent()), 'the last decision');
    await page.locator('h1 + .sub').getByRole('link', { name: /^policy v/ }).waitFor();
    if (!world.mock) return; // its policy was published by hand
    await page.locator('h1 + .sub').getByRole('link', { name: 'its candidate' }).click();
    await page.waitForURL('**/ui/candidates/**');
  });

  await suite.test('error budgets: what is spent, what remains, and since when nothing is explored', async ({ open, world }) => {
    const page = await open('/ui/canaries');
    const budgets = page.getByRole('table', { name: 'Error budgets' });
    const spent = budgets.locator(`tr:has(th:has-text("${world.spentService}"))`);
    await spent.getByText('stopped').waitFor();
    check(/since \d{4}-\d\d-\d\d \d\d:\d\d/.test(await spent.textContent()), 'since when is not said');
    check(/overspent by \d/.test(await spent.textContent()), 'that more than all is spent');
    const unknown = budgets.locator(`tr:has(th:has-text("${world.unknownService}"))`);
    await unknown.getByText('not known yet').waitFor();
    check(!/allowed|0\.0 %|100/.test(await unknown.locator('td').nth(2).textContent()), 'a budget that nobody knows');
    equal(await budgets.locator('thead th').allTextContents().then((titles) => titles.map((title) => title.replace(/ [↑↓]$/, '')).slice(0, 6).join()), 'service,objective,window,spent,remaining,exploration', 'columns');
  });

  await suite.test('the overview tells of a roll-back and of a spent budget, and leads there', async ({ open, world }) => {
    const page = await open('/ui/overview');
    const attention = page.getByRole('region', { name: /^Needs attention/ });
    await attention.locator('li:has-text("spent budget")').getByRole('link').waitFor();
    equal(await attention.locator('li:has-text("spent budget")').getByRole('link').getAttribute('href'), `/ui/canaries?target=${world.spentService}`, 'where a spent budget leads');
    await attention.locator(`li:has-text("rolled back canary") a[href="/ui/canaries/${world.canary}"]`).click();
    await ready(page);
  });

  await suite.test('only who may decide is offered it, and only what can be decided', async ({ open, world }) => {
    const offered = async (role, canary) => {
      const page = await open(`/ui/canaries/${canary}`, role);
      await ready(page);
      const names = await page.locator('.head').getByRole('button', { name: /^(Approve|Abort)$/ }).allTextContents();
      await page.close();
      return names.join();
    };
    for (const [role, buttons] of [['viewer', ''], ['submitter', ''], ['learner', ''], ['promoter', 'Approve,Abort'], ['admin', 'Approve,Abort']]) {
      equal(await offered(role, world.waitingCanary), buttons, role);
    }
    equal(await offered('admin', world.canary), '', 'a canary that has ended');
    equal(await offered('admin', world.rampingCanary), 'Abort', 'one that was not judged yet');
  });

  await suite.test('approving and aborting ask first; an end takes a reason', async ({ open, world }) => {
    const page = await open(`/ui/canaries/${world.waitingCanary}`, 'promoter');
    await ready(page);
    const posted = async () => (world.mock ? (await mockState(world)).posted.filter((line) => line.includes('/canaries/')).length : (await world.get(`/v1/canaries/${world.waitingCanary}`)).status.state === 'judged' ? 0 : 1);
    const dialog = page.getByRole('dialog');
    await page.getByRole('button', { name: 'Approve' }).click();
    await dialog.getByText('all traffic?').waitFor();
    await page.keyboard.press('Escape');
    equal(await posted(), 0, 'deeds without an answer');
    await page.getByRole('button', { name: 'Abort' }).click();
    await dialog.getByRole('button', { name: 'End it' }).click();
    await page.getByRole('alert').getByText('say why').waitFor();
    equal(await posted(), 0, 'deeds without a reason');
    if (world.mock) {
      // By the keyboard alone.
      await page.getByRole('button', { name: 'Abort' }).focus();
      await page.keyboard.press('Enter');
      await dialog.getByLabel('reason').focus();
      await page.keyboard.type('too slow for us');
      await page.keyboard.press('Tab');
      await page.keyboard.press('Enter');
      await page.locator('h1').getByText('aborted').waitFor();
      await page.getByRole('region', { name: 'Decision', exact: true }).getByText('too slow for us').waitFor();
      check((await mockState(world)).posted.includes(`POST /v1/canaries/${world.waitingCanary}/abort`), 'another deed');
    }
  });

  await suite.test('a living canary changes by itself, and asks for new windows alone', async ({ open, context }) => {
    const since = [];
    context.on('request', (request) => { const url = new URL(request.url()); if (url.pathname.startsWith('/v1/views/canaries/')) since.push(Number(url.searchParams.get('since') ?? 0)); });
    const page = await open(`/ui/canaries/${world.rampingCanary}`);
    await ready(page);
    await page.locator('.head').getByText('live', { exact: true }).waitFor();
    const points = () => page.locator('figure').first().locator('.point, .lost rect').count();
    const first = await points();
    await until('another window', async () => (await points()) > first);
    check(since[0] === 0 && since[since.length - 1] >= first, `windows were asked for again, from ${since.join()} on`);
    check((await page.getByRole('region', { name: /^Windows \(\d+\)$/ }).getAttribute('aria-label')) !== `Windows (${first})`, 'the table stays as it was');
  });
  if (world.mock) return;
  await suite.test('honed ends a canary and promotes another, as the page asks it to', async ({ open }) => {
    const page = await open(`/ui/canaries/${world.waitingCanary}`, 'promoter');
    await ready(page);
    await page.getByRole('button', { name: 'Approve' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Approve it' }).click();
    await page.locator('h1').getByText('promoted').waitFor();
    const canary = await world.get(`/v1/canaries/${world.waitingCanary}`);
    equal(canary.status.share, 100, 'its share');
    check(canary.status.reason.includes('approved by test-promoter'), `the reason: ${canary.status.reason}`);
    const other = await open(`/ui/canaries/${world.endingCanary}`, 'promoter');
    await ready(other);
    await other.getByRole('button', { name: 'Abort' }).click();
    await other.getByRole('dialog').getByLabel('reason').fill('a <b>test</b>');
    await other.getByRole('dialog').getByRole('button', { name: 'End it' }).click();
    await other.locator('h1').getByText('aborted').waitFor();
    await other.getByRole('region', { name: 'Decision', exact: true }).getByText('a <b>test</b>').waitFor();
    equal((await world.get(`/v1/canaries/${world.endingCanary}`)).status.share, 0, 'its share');
  });
}
