// Whatever people or compilers write is text everywhere: nothing of it is ever markup that runs or loads.
import { check } from './suite.mjs';
import { viewsOf } from './world.mjs';

export async function testText(suite) {
  if (!suite.world.mock) return; // a recorded campaign has no such names
  for (const [name, view] of Object.entries(viewsOf(suite.world))) {
    await suite.test(`script tags stay text: ${name}`, async ({ open }) => {
      const page = await open(view.path);
      await page.locator(view.ready).first().waitFor();
      await page.waitForTimeout(500);
      check(!(await page.evaluate(() => window.hacked)), 'a script ran');
      check((await page.locator('img, iframe, object, main script').count()) === 0, 'markup came out of text');
      if (['overview', 'campaign', 'candidate', 'job', 'fleet', 'canaries', 'canary'].includes(name)) {
        check((await page.getByText('<script>').count()) > 0, 'the text is not shown');
      }
    });
  }
  await suite.test('script tags stay text: a pipeline that is typed in, and its failure', async ({ open, world }) => {
    const page = await open(`/ui/explorer?program=${world.program}`);
    await page.getByLabel('Action, or a pipeline written out').fill('<script>window.hacked = 1</script>');
    await page.getByRole('button', { name: 'Apply' }).click();
    await page.getByText('unknown pass name').waitFor();
    check(!(await page.evaluate(() => window.hacked)), 'a script ran');
  });
  await suite.test('the policy of the page refuses what is inline', async ({ open, forgive }) => {
    forgive(/Content Security Policy/);
    const page = await open('/ui/overview');
    const blocked = await page.evaluate(() => new Promise((resolve) => {
      document.addEventListener('securitypolicyviolation', (event) => resolve(event.violatedDirective));
      const script = document.createElement('script');
      script.textContent = 'window.hacked = 1';
      document.body.append(script);
      setTimeout(() => resolve(null), 2000);
    }));
    check(String(blocked).startsWith('script-src'), `nothing was refused: ${blocked}`);
    check(!(await page.evaluate(() => window.hacked)), 'a script ran');
  });
}
