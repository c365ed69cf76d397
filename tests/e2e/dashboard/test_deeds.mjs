// What the page does, not only shows: downloads, questions before deeds, live changes, zoom, the explorer.
import { readFileSync } from 'node:fs';
import { check, equal } from './suite.mjs';
import { mockState, until, viewsOf } from './world.mjs';

export async function testDownloads(suite) {
  for (const [name, view] of Object.entries(viewsOf(suite.world))) {
    await suite.test(`downloads of ${name}`, async ({ open }) => {
      const page = await open(view.path);
      await page.locator(view.ready).first().waitFor();
      const group = page.getByRole('group', { name: 'Download' }).last();
      for (const [kind, looksRight] of [['CSV', (text) => /^[^\r\n]+\r\n/.test(text)], ['JSON', (text) => typeof JSON.parse(text) === 'object']]) {
        const coming = page.waitForEvent('download');
        await group.getByRole('button', { name: kind }).click();
        const download = await coming;
        check(download.suggestedFilename().endsWith(`.${kind.toLowerCase()}`), `a file ${download.suggestedFilename()}`);
        const text = readFileSync(await download.path(), 'utf8');
        check(looksRight(text), `the ${kind} is none: ${text.slice(0, 80)}`);
      }
    });
  }
}

// On the recorded coordinator: the deeds as honed takes them. It is restored anew for each run.
async function testRecordedDeeds(suite) {
  const { world } = suite;
  await suite.test('honed takes a re-measurement and its cancellation', async ({ open }) => {
    const page = await open(`/ui/candidates/${world.candidate}`, 'submitter');
    await page.getByRole('button', { name: 'Re-measure' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Measure it' }).click();
    await page.waitForURL('**/ui/jobs/**');
    await page.getByText('Not measured yet.').waitFor();
    const id = new URL(page.url()).pathname.split('/').pop();
    const job = await world.get(`/v1/jobs/${id}`);
    equal(JSON.stringify(job.rules), JSON.stringify((await world.get(`/v1/views/candidates/${world.candidate}`)).job.rules), 'the rules');
    await page.getByRole('button', { name: 'Cancel job' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel it' }).click();
    await page.getByText('Cancelled: there is no result.').waitFor();
    equal((await world.get(`/v1/jobs/${id}`)).state, 'cancelled', 'the state');
  });
  await suite.test('honed drains a worker and gives it jobs again', async ({ open }) => {
    const page = await open('/ui/fleet');
    const drained = async () => (await world.get('/v1/views/fleet')).workers[0].drained_at;
    await page.getByRole('button', { name: 'Drain' }).first().click();
    await page.getByRole('dialog').getByRole('button', { name: 'Drain' }).click();
    await page.getByRole('button', { name: 'Resume' }).first().click();
    check((await drained()) !== null, 'it is not drained');
    await page.getByRole('dialog').getByRole('button', { name: 'Resume' }).click();
    await page.getByRole('button', { name: 'Drain' }).first().waitFor();
    equal(await drained(), null, 'drained since');
  });
  await suite.test('honed rolls a policy back', async ({ open }) => {
    const page = await open(`/ui/policies/${world.target}`);
    await page.locator('table >> text=measured gain').waitFor();
    const before = (await world.get(`/v1/views/policies/${world.target}`)).versions;
    const older = before.find((version) => !version.promoted && !version.signed);
    if (!older) throw new Error('the recording has no older version');
    await page.getByRole('button', { name: `Roll back to v${older.version}` }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Roll back' }).click();
    await until('another version', async () => (await world.get(`/v1/views/policies/${world.target}`)).versions.length > before.length);
    await page.locator(`tr:has-text("in force"):has-text("v${before[0].version + 1}")`).waitFor();
  });
}

export async function testDeeds(suite) {
  const { world } = suite;
  if (!world.mock) {
    await testRecordedDeeds(suite);
    return;
  }
  await suite.test('a deed asks first, and Escape leaves everything as it is', async ({ open }) => {
    const page = await open('/ui/policies/lz4');
    await page.getByRole('button', { name: 'Promote v3' }).click();
    await page.getByRole('dialog').waitFor();
    await page.keyboard.press('Escape');
    check(!(await mockState(world)).posted.some((line) => line.includes('promote')), 'it was done without an answer');
    await page.getByRole('button', { name: 'Promote v3' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Promote' }).click();
    await page.locator('tr:has-text("in force"):has-text("v3")').waitFor();
    await page.getByRole('button', { name: 'Roll back to v2' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Roll back' }).click();
    await until('the roll-back', async () => (await mockState(world)).posted.includes('POST /v1/policies/lz4/versions/2/rollback'));
  });
  await suite.test('re-measuring queues the same rules and opens the new job; draining and resuming', async ({ open }) => {
    const page = await open(`/ui/candidates/${world.candidate}`);
    await page.getByRole('button', { name: 'Re-measure' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Measure it' }).click();
    await page.waitForURL('**/ui/jobs/**');
    const fleet = await open('/ui/fleet');
    await fleet.getByRole('row', { name: /staging-1/ }).getByRole('button', { name: 'Drain' }).click();
    await fleet.getByRole('dialog').getByRole('button', { name: 'Drain' }).click();
    await fleet.getByRole('row', { name: /staging-1/ }).getByText('draining').waitFor();
    await fleet.getByRole('row', { name: /staging-1/ }).getByRole('button', { name: 'Resume' }).click();
    await fleet.getByRole('dialog').getByRole('button', { name: 'Resume' }).click();
    await fleet.getByRole('row', { name: /staging-1/ }).getByText('busy').waitFor();
  });
  await suite.test('a running campaign changes by itself, and comes back after the stream was cut', async ({ open }) => {
    const page = await open(`/ui/campaigns/${world.running}?q=turn`);
    await page.getByRole('region', { name: 'At a glance' }).getByText('in 3 h').waitFor(); // its deadline
    await page.getByText('live', { exact: true }).waitFor();
    await fetch(`${world.url}/mock/events?count=3`);
    const first = await until('a change', async () => (await page.getByText(/^turn \d+$/).allTextContents())[0]);
    await fetch(`${world.url}/mock/cut`);
    await until('another stream', async () => (await mockState(world)).streams > 0);
    await page.getByText('live', { exact: true }).waitFor();
    await fetch(`${world.url}/mock/events?count=1`);
    await until('a change after the cut', async () => { const now = (await page.getByText(/^turn \d+$/).allTextContents())[0]; return now && now !== first; });
  });
  await suite.test('a history zooms by its keys, and its window is in the URL; few results are listed', async ({ open }) => {
    const page = await open('/ui/targets/lz4');
    const plot = page.getByRole('img', { name: /Arrow keys pan/ });
    await plot.focus();
    await page.waitForTimeout(1500); // every point, not only the first picture
    for (let press = 0; press < 7; press += 1) await page.keyboard.press('+');
    await page.waitForURL(/from=\d+&to=\d+/);
    await page.getByRole('table', { name: 'Results in the window' }).waitFor();
    const url = new URL(page.url());
    await page.keyboard.press('ArrowRight');
    await until('another window', () => new URL(page.url()).search !== url.search);
    await page.keyboard.press('0');
    await until('the whole', () => !new URL(page.url()).searchParams.has('from'));
  });
}

export async function testExplorer(suite) {
  const { world } = suite;
  if (!world.program || (!world.mock && !world.explorer)) return;
  await suite.test('the explorer steps, undoes, searches, and its path can be shared', async ({ open }) => {
    const page = await open(`/ui/explorer?program=${world.program}`, 'submitter');
    const tree = page.getByRole('region', { name: 'Walked tree' });
    const busy = () => page.getByRole('button', { name: 'Search', exact: true }).isEnabled();
    await tree.getByRole('button', { name: 'program', exact: true }).waitFor();
    await until('the session', busy);
    const search = page.getByLabel('Action, or a pipeline written out');
    await search.fill('function(sroa)');
    await page.getByRole('button', { name: 'Apply' }).click();
    await tree.getByRole('button', { name: 'function(sroa)' }).waitFor();
    await until('the step', busy);
    check(new URL(page.url()).searchParams.get('path') === 'function(sroa)', 'the path is not in the URL');
    await search.fill('function(early-cse)');
    await page.getByRole('button', { name: 'Apply' }).click();
    await tree.getByRole('button', { name: 'function(early-cse)' }).waitFor();
    await until('the second step', busy);
    await tree.getByRole('button', { name: 'Undo' }).click();
    await until('the undo', async () => new URL(page.url()).searchParams.get('path') === 'function(sroa)');
    await until('the undo', busy);
    const shared = await open(new URL(page.url()).pathname + new URL(page.url()).search, 'submitter');
    await shared.locator('.steps [aria-current]:has-text("function(sroa)")').waitFor();
    await page.getByRole('spinbutton', { name: 'steps' }).fill('40');
    await page.getByRole('button', { name: 'Search', exact: true }).click();
    await page.getByText(/fewest instructions [\d,]+ behind/).waitFor();
    await until('the search', busy, 60_000);
    await page.getByRole('button', { name: 'Back to the program' }).click();
    await until('the way back', async () => !new URL(page.url()).searchParams.has('path'));
  });
  if (!world.mock) {
    await suite.test('a program is uploaded and opened; a pass that is none is refused with the reason', async ({ open }) => {
      const page = await open('/ui/explorer', 'learner');
      const text = 'define i32 @f(i32 %a) {\n  %p = alloca i32\n  store i32 %a, ptr %p\n  %v = load i32, ptr %p\n  ret i32 %v\n}\n';
      await page.locator('input[type=file]').setInputFiles({ name: 'f.ll', mimeType: 'text/plain', buffer: Buffer.from(text) });
      const tree = page.getByRole('region', { name: 'Walked tree' });
      await tree.getByText('program').first().waitFor();
      await page.getByRole('button', { name: 'sroa', exact: true }).first().click();
      await tree.locator('[aria-current]:has-text("sroa")').waitFor();
      await page.getByRole('region', { name: 'State' }).getByText('instructions of 4 at first').waitFor();
      await page.getByLabel('Action, or a pipeline written out').fill('no-such-pass');
      await page.getByRole('button', { name: 'Apply' }).click();
      await page.getByText(/no-such-pass/).last().waitFor();
      await page.getByRole('alert').first().waitFor();
    });
  }
  await suite.test('a viewer looks and does not step', async ({ open }) => {
    const page = await open(`/ui/explorer?program=${world.program}`, 'viewer');
    await page.getByText('may look, not step').waitFor();
    equal(await page.getByRole('region', { name: 'Walked tree' }).count(), 0, 'walked trees');
  });
}
