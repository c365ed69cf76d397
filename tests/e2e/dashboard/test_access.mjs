// axe-core finds no serious or critical problem in any view, light and dark.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { viewsOf } from './world.mjs';

const kAxe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

async function problems(page) {
  // Run by the debugger: the page's own policy lets no foreign script in.
  await page.evaluate(kAxe);
  const { violations } = await page.evaluate(() => axe.run(document, { resultTypes: ['violations'] }));
  return violations
    .filter((violation) => ['serious', 'critical'].includes(violation.impact))
    .map((violation) => `${violation.impact} ${violation.id}: ${violation.help}, at ${violation.nodes.slice(0, 3).map((node) => node.target.join(' ')).join('; ')}`);
}

export async function testAccess(suite) {
  for (const colorScheme of ['light', 'dark']) {
    for (const [name, view] of Object.entries(viewsOf(suite.world))) {
      await suite.test(`axe: ${name}, ${colorScheme}`, async ({ open }) => {
        const page = await open(view.path);
        await page.locator(view.ready).first().waitFor();
        await page.waitForTimeout(400);
        for (const details of await page.locator('summary').all()) await details.click();
        const found = await problems(page);
        if (found.length > 0) throw new Error(found.join('\n      '));
      }, { colorScheme });
    }
    await suite.test(`axe: sign-in, ${colorScheme}`, async ({ open }) => {
      const page = await open('/ui/overview', null);
      await page.getByLabel('Token').fill('nothing good');
      await page.getByRole('button', { name: 'Sign in' }).click();
      const found = await problems(page);
      if (found.length > 0) throw new Error(found.join('\n      '));
    }, { colorScheme });
    await suite.test(`axe: a question before a deed, ${colorScheme}`, async ({ open, world }) => {
      const page = await open(`/ui/candidates/${world.candidate}`);
      await page.getByRole('button', { name: 'Re-measure' }).click();
      await page.getByRole('dialog').waitFor();
      const found = await problems(page);
      if (found.length > 0) throw new Error(found.join('\n      '));
    }, { colorScheme });
    await suite.test(`axe: a question before a canary ends, ${colorScheme}`, async ({ open, world }) => {
      const page = await open(`/ui/canaries/${world.rampingCanary}`);
      await page.getByRole('button', { name: 'Abort' }).click();
      await page.getByRole('dialog').waitFor();
      const found = await problems(page);
      if (found.length > 0) throw new Error(found.join('\n      '));
    }, { colorScheme });
  }
}
