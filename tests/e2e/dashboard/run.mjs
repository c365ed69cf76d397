// The dashboard in Chromium.
//
//   node run.mjs --page DIR                      against the coordinator of cardboard, with a built page
//   node run.mjs --url URL --tokens FOLDER       against honed on a recorded campaign
//   ... --only WORD                              tests with this word in their name
//
// The last line is the figure; exit code 1 if a test failed.
import { launch, Suite } from './suite.mjs';
import { testAccess } from './test_access.mjs';
import { testCanaries } from './test_canaries.mjs';
import { testDeeds, testDownloads, testExplorer } from './test_deeds.mjs';
import { testSignIn } from './test_sign_in.mjs';
import { testText } from './test_text.mjs';
import { testViews } from './test_views.mjs';
import { mockWorld, recordedWorld } from './world.mjs';

const option = (name) => { const at = process.argv.indexOf(`--${name}`); return at < 0 ? null : process.argv[at + 1]; };
const only = option('only');
const world = option('page') ? await mockWorld(option('page')) : await recordedWorld(option('url'), option('tokens'));
const browser = await launch();
const suite = new Suite(browser, world);
if (only) {
  const run = suite.test.bind(suite);
  suite.test = async (name, ...rest) => (name.includes(only) ? run(name, ...rest) : undefined);
}
for (const tests of [testViews, testSignIn, testText, testCanaries, testDeeds, testDownloads, testExplorer, testAccess]) await tests(suite);
await browser.close();
world.close();
const total = suite.passed + suite.failed.length;
console.log(`${suite.passed} of ${total} tests of the dashboard pass in Chromium (${world.mock ? 'a coordinator of cardboard' : 'honed on a recorded campaign'})`);
process.exit(suite.failed.length > 0 || total === 0 ? 1 : 0);
