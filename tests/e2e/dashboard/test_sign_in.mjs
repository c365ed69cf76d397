// Signing in and out, roles, and the keyboard alone.
import { check, equal } from './suite.mjs';

// Presses Tab until something is focused; a page that cannot be reached so fails.
async function tabTo(page, matches, most = 80) {
  for (let presses = 0; presses < most; presses += 1) {
    await page.keyboard.press('Tab');
    if (await page.evaluate(matches)) return;
  }
  throw new Error(`not reached by ${most} presses of Tab: ${matches}`);
}

export async function testSignIn(suite) {
  await suite.test('a token that is none is refused with a reason, a good one opens the place that was shared', async ({ open, world }) => {
    const page = await open('/ui/fleet?worker=', null);
    await page.getByLabel('Token').fill('wrong-token-altogether');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText('does not know this token').waitFor();
    await page.getByLabel('Token').fill('two words');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText('A token is one word').waitFor();
    await page.getByLabel('Token').fill(world.token('viewer'));
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { name: 'Fleet', level: 1 }).waitFor();
    check(!page.url().includes(world.token('viewer')), 'the token is in the URL');
    equal(await page.evaluate(() => JSON.stringify(localStorage).includes('token')), false, 'a token in what outlives the tab');
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByLabel('Token').waitFor();
    equal(await page.evaluate(() => sessionStorage.length), 0, 'things kept after signing out');
  });

  await suite.test('a token that is refused later signs out', async ({ open }) => {
    const page = await open('/ui/policies');
    await page.getByRole('heading', { name: 'Policies', level: 1 }).waitFor();
    await page.evaluate(() => sessionStorage.setItem('hone-token', 'revoked-meanwhile'));
    await page.getByRole('link', { name: 'Fleet' }).click();
    await page.getByLabel('Token').waitFor();
  });

  await suite.test('what a role may not do is not offered', async ({ open, world }) => {
    const seen = async (role, path, name) => {
      const page = await open(path, role);
      await page.locator('table:visible').first().waitFor();
      await page.waitForTimeout(300);
      const count = await page.getByRole('button', { name }).count();
      await page.close();
      return count;
    };
    for (const [role, submits, administers] of [['viewer', false, false], ['submitter', true, false], ['learner', false, false], ['admin', true, true]]) {
      equal((await seen(role, `/ui/candidates/${world.candidate}`, 'Re-measure')) > 0, submits, `${role}: re-measure`);
      equal((await seen(role, '/ui/fleet', /^(Drain|Resume)$/)) > 0, administers, `${role}: drain`);
      equal((await seen(role, `/ui/policies/${world.target}`, /^(Promote|Roll back)/)) > 0, administers, `${role}: promote`);
    }
    const page = await open('/ui/overview', 'worker');
    await page.getByText('may not read').waitFor();
  });

  await suite.test('by the keyboard alone: sign in, open a campaign, sort, open a candidate', async ({ open, world }) => {
    const page = await open('/ui/overview', null);
    await page.getByLabel('Token').waitFor();
    await page.keyboard.type(world.token('admin'));
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor();
    await tabTo(page, () => document.activeElement?.textContent === 'Campaigns');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Campaigns', level: 1 }).waitFor();
    await page.locator('tbody a').first().waitFor();
    await tabTo(page, () => /^\/ui\/campaigns\/./.test(document.activeElement?.getAttribute('href') ?? ''));
    await page.keyboard.press('Enter');
    await page.locator('canvas').first().waitFor();
    await tabTo(page, () => document.activeElement?.matches('thead button') === true && document.activeElement.textContent.startsWith('pairs'));
    await page.keyboard.press('Enter');
    await page.locator('th[aria-sort=descending]:has-text("pairs")').waitFor();
    await tabTo(page, () => document.activeElement?.closest('tbody') !== null && document.activeElement?.matches('a') === true);
    const first = await page.evaluate(() => document.activeElement.getAttribute('href'));
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    const third = await page.evaluate(() => document.activeElement.getAttribute('href'));
    check(third !== first, 'arrows do not move');
    await page.keyboard.press('End');
    await page.waitForFunction((before) => document.activeElement?.matches('tbody a') && document.activeElement.getAttribute('href') !== before, third);
    await page.keyboard.press('Enter');
    await page.getByRole('region', { name: 'Verdict' }).waitFor();
    equal(await page.evaluate(() => document.activeElement?.tagName), 'H1', 'what has the focus');
  });
}
