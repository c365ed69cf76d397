// What is tested against: the coordinator of cardboard, or honed on a recorded campaign. Both say where there is
// something of each kind to be looked at.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { kBigCampaign, kCampaign } from './mock/campaign.mjs';
import { kRamping, kRolledBack, kTold, kWaiting } from './mock/canaries.mjs';
import { uuid } from './mock/random.mjs';
import { startMock } from './mock/server.mjs';
import { seedCanaries, startServices } from './services.mjs';

export async function mockWorld(page) {
  const mock = await startMock({ page });
  return {
    mock: true, url: mock.url, close: mock.close, token: (role) => `${role}-token`,
    target: 'lz4', campaign: kCampaign, running: kBigCampaign, candidate: uuid(2, 2), job: uuid(5, 1), program: 'ab'.repeat(32),
    canary: kRolledBack, waitingCanary: kWaiting, rampingCanary: kRamping, toldNothing: kTold, spentService: 'zstd', unknownService: 'snappy',
  };
}

export async function recordedWorld(url, tokens) {
  const services = await startServices();
  const token = (role) => readFileSync(join(tokens, `${role}.token`), 'utf8').trim();
  const get = async (path) => {
    const reply = await fetch(url + path, { headers: { Authorization: `Bearer ${token('admin')}` } });
    if (!reply.ok) throw new Error(`GET ${path}: ${reply.status} ${await reply.text()}`);
    return reply.json();
  };
  const admin = token('admin');
  const send = async (method, path, json) => {
    const reply = await fetch(url + path, { method, headers: { Authorization: `Bearer ${admin}`, ...(json ? { 'Content-Type': 'application/json' } : {}) }, ...(json ? { body: JSON.stringify(json) } : {}) });
    if (!reply.ok) throw new Error(`${method} ${path}: ${reply.status} ${await reply.text()}`);
    return reply.json();
  };
  const campaigns = (await get('/v1/campaigns?limit=100')).items;
  // The one with a winner has the most to show.
  const campaign = campaigns.find((one) => one.winner_candidate) ?? campaigns.find((one) => one.best_candidate) ?? campaigns[0];
  const candidate = campaign.winner_candidate ?? campaign.best_candidate;
  const jobs = (await get(`/v1/jobs?campaign=${campaign.id}&limit=100`)).items;
  const explorer = await get('/v1/views/explorer');
  const canaries = await seedCanaries(send, services, campaign.target);
  const grants = ['mail', 'search', 'feed', 'chat'].map((target) => ({ target, rights: ['read', 'promote'] }));
  const promoter = (await send('POST', '/v1/tokens', { name: 'test-promoter', role: 'submitter', grants })).token;
  return {
    mock: false, url, close: services.close, token: (role) => (role === 'promoter' ? promoter : token(role)), get,
    canary: canaries.mail, waitingCanary: canaries.search, rampingCanary: canaries.feed, endingCanary: canaries.chat, toldNothing: canaries.quiet, spentService: 'mail', unknownService: 'idle',
    target: campaign.target, campaign: campaign.id, running: null, candidate, job: jobs.find((job) => job.state === 'done').id, program: explorer.programs[0]?.program ?? null, explorer: explorer.available,
  };
}

export async function mockState(world) {
  return (await fetch(`${world.url}/mock/state`)).json();
}

export async function until(what, condition, most = 10_000) {
  const end = Date.now() + most;
  for (;;) {
    const value = await condition();
    if (value) return value;
    if (Date.now() > end) throw new Error(`did not come: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

// Every view by its name: where it is, and what shows that it has come.
export function viewsOf(world) {
  return {
    overview: { path: '/ui/overview', ready: 'table:has-text("best verified gain") >> text=/./ >> nth=0' },
    campaigns: { path: '/ui/campaigns', ready: 'table >> text=/finished|racing/ >> nth=0' },
    campaign: { path: `/ui/campaigns/${world.campaign}`, ready: 'canvas' },
    candidate: { path: `/ui/candidates/${world.candidate}`, ready: 'text=Log of build and benchmark' },
    job: { path: `/ui/jobs/${world.job}`, ready: 'text=Log of build and benchmark' },
    targets: { path: '/ui/targets', ready: 'table >> text=best verified gain' },
    history: { path: `/ui/targets/${world.target}`, ready: 'canvas' },
    commits: { path: `/ui/targets/${world.target}?over=commits`, ready: 'canvas' },
    fleet: { path: '/ui/fleet', ready: 'table >> text=last seen' },
    policies: { path: '/ui/policies', ready: 'table >> text=in force' },
    policy: { path: `/ui/policies/${world.target}`, ready: 'table >> text=measured gain' },
    canaries: { path: '/ui/canaries', ready: 'table >> text=remaining' },
    canary: { path: `/ui/canaries/${world.canary}`, ready: 'table:has-text("would be seen")' },
    'values of a canary': { path: `/ui/canaries/${world.canary}?show=values`, ready: 'svg .strip-candidate' },
    explorer: { path: world.program ? `/ui/explorer?program=${world.program}` : '/ui/explorer', ready: world.program ? 'text=Logged steps on this program' : 'text=Choose a program above' },
  };
}
