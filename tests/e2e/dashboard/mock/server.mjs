// A coordinator of cardboard for the tests of the page: the shapes of the real one at sizes that no small recording
// has (10,000 candidates, 100,000 results, 10,000 events), and with script tags wherever people can write.
//
//   node server.mjs --page DIR [--port N] [--candidates N] [--results N]    prints its address; ends with its standard input
import { createServer } from 'node:http';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { pathToFileURL } from 'node:url';
import { canaryList, canaryPage } from './canaries.mjs';
import { campaignPage, candidates, changed, kBigCampaign, kCampaign, kNow, rulesOf } from './campaign.mjs';
import { history, points } from './history.mjs';
import { jobPage } from './job.mjs';
import { uuid } from './random.mjs';
import { openSession, openSessions, runCommand } from './sessions.mjs';
import { explorer, fleet, overview, policyList, policyPage } from './views.mjs';

// As honed sends them.
const kHeaders = {
  'Content-Security-Policy': "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
};
const kTypes = { html: 'text/html; charset=utf-8', js: 'text/javascript; charset=utf-8', css: 'text/css; charset=utf-8', svg: 'image/svg+xml' };
const kMay = {
  viewer: { read: true, submit: false, step: false, administer: false },
  submitter: { read: true, submit: true, step: true, administer: false },
  learner: { read: true, submit: false, step: true, administer: false },
  // A submitter with a grant to promote.
  promoter: { read: true, submit: true, step: true, administer: false },
  worker: { read: false, submit: false, step: false, administer: false },
  admin: { read: true, submit: true, step: true, administer: true },
};

// `page`: a folder with the built page; or `upstream`: a honed that serves it.
export function startMock({ page, upstream, port = 0, candidateCount = 10_000, resultCount = 100_000 }) {
  const tables = { [kCampaign]: candidates(120, kCampaign), [kBigCampaign]: candidates(candidateCount, kBigCampaign) };
  const all = points(resultCount);
  const streams = new Set();
  const world = { drained: new Set(['staging-3']), promoted: new Map([['lz4', 1]]), posted: [], turn: 0, canaries: new Map(), canaryTurn: 0, since: [] };

  const json = (reply, body, status = 200) => {
    const text = JSON.stringify(body);
    const type = status >= 400 ? 'application/problem+json' : 'application/json';
    const squeeze = text.length > 1400;
    reply.writeHead(status, { ...kHeaders, 'Content-Type': type, 'Cache-Control': 'no-store', ...(squeeze ? { 'Content-Encoding': 'gzip' } : {}) });
    reply.end(squeeze ? gzipSync(text, { level: 1 }) : text);
  };
  const csv = (reply, name) => {
    reply.writeHead(200, { ...kHeaders, 'Content-Type': 'text/csv; charset=utf-8', 'Content-Disposition': `attachment; filename="${name}.csv"` });
    reply.end('a,b\r\n1,2\r\n');
  };
  const proxy = async (reply, path) => {
    const answer = await fetch(upstream + path);
    reply.writeHead(answer.status, { ...kHeaders, 'Content-Type': answer.headers.get('content-type') ?? 'application/octet-stream' });
    reply.end(Buffer.from(await answer.arrayBuffer()));
  };
  const file = (reply, name) => {
    if (upstream) {
      proxy(reply, name === 'index.html' ? '/' : `/${name}`).catch(() => reply.destroy());
      return;
    }
    const body = readFileSync(join(page, name));
    const kind = name.split('.').pop();
    reply.writeHead(200, { ...kHeaders, 'Content-Type': kTypes[kind] ?? 'application/octet-stream', 'Content-Encoding': 'gzip', 'Cache-Control': name === 'index.html' ? 'no-cache' : 'public, max-age=31536000, immutable' });
    reply.end(gzipSync(body));
  };

  const views = (parts, query, role) => {
    switch (parts[2]) {
      case 'overview': return overview();
      case 'fleet': return fleet(world.drained);
      case 'campaigns': {
        const table = tables[parts[3]];
        if (!table) return null;
        const whole = campaignPage(parts[3], table);
        world.turn += 1;
        return query.get('since') ? { ...whole, candidates: changed(table, world.turn) } : whole;
      }
      case 'candidates': return jobPage(uuid(5, 1), parts[3]);
      case 'jobs': return jobPage(parts[3], uuid(2, 2));
      case 'targets': return history(all, query);
      case 'canaries': {
        if (!parts[3]) return canaryList(world.canaries, world.canaryTurn, query);
        world.canaryTurn += 1;
        world.since.push(Number(query.get('since') ?? 0));
        return canaryPage(parts[3], world.canaries, world.canaryTurn, Number(query.get('since') ?? 0), role === 'admin' || role === 'promoter');
      }
      case 'policies': return parts[3] ? policyPage(parts[3], world.promoted, query) : policyList(world.promoted);
      case 'explorer': return explorer(query.get('program'));
      default: return null;
    }
  };

  const act = (method, parts, body, reply) => {
    world.posted.push(`${method} /${parts.join('/')}`);
    if (parts[1] === 'sessions') {
      if (method === 'DELETE') { runCommand(parts[2], 'close', {}); reply.writeHead(204, kHeaders); reply.end(); return; }
      const state = parts.length === 2 ? openSession() : runCommand(parts[2], parts[3], body);
      json(reply, state ?? { title: 'Not Found', status: 404, detail: 'no such session' }, state ? 200 : 404);
    } else if (parts[1] === 'workers') {
      if (parts[3] === 'drain') world.drained.add(parts[2]); else world.drained.delete(parts[2]);
      json(reply, { name: parts[2], drained_at: world.drained.has(parts[2]) ? new Date(kNow).toISOString() : null });
    } else if (parts[1] === 'canaries') {
      world.canaries.set(parts[2], parts[3] === 'approve' ? { state: 'promoted', reason: 'approved by admin-1' } : { state: 'aborted', reason: `ended by admin-1: ${body.reason}` });
      json(reply, {});
    } else if (parts[1] === 'policies') {
      world.promoted.set(parts[2], Number(parts[4]));
      json(reply, {});
    } else if (parts[1] === 'jobs' && parts.length === 2) {
      json(reply, { jobs: [{ id: uuid(5, 77) }] }, 201);
    } else {
      json(reply, {});
    }
  };

  // 10,000 events as fast as the socket takes them.
  const burst = async (count, every) => {
    for (let number = 0; number < count; number += every) {
      let text = '';
      for (let i = number; i < Math.min(count, number + every); i += 1) {
        text += `id: ${i + 1}\nevent: job\ndata: ${JSON.stringify({ kind: 'job', job: uuid(5, i), campaign: kBigCampaign, state: 'done', stage: 'race', outcome: 'ok', verdict: 'inconclusive', reward: 0.01, reason: null, at: new Date(kNow).toISOString() })}\n\n`;
      }
      for (const stream of streams) stream.write(text);
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  };

  const server = createServer((request, reply) => {
    const url = new URL(request.url, 'http://x');
    const parts = url.pathname.split('/').filter(Boolean).map(decodeURIComponent);
    const chunks = [];
    request.on('data', (chunk) => chunks.push(chunk));
    request.on('end', () => {
      if (parts[0] === 'mock') {
        // For the tests alone: what honed does by itself.
        if (parts[1] === 'events') void burst(Number(url.searchParams.get('count') ?? 1), Number(url.searchParams.get('every') ?? 100));
        if (parts[1] === 'cut') for (const stream of streams) stream.destroy();
        json(reply, { posted: world.posted, since: world.since, streams: streams.size, sessions: openSessions() });
        return;
      }
      if (parts[0] !== 'v1') {
        file(reply, parts[0] === 'assets' ? join('assets', parts[1]) : 'index.html');
        return;
      }
      const role = /^Bearer (\w+)-token$/.exec(request.headers.authorization ?? '')?.[1];
      if (!role || !kMay[role]) { json(reply, { title: 'Unauthorized', status: 401, detail: 'no such token' }, 401); return; }
      if (request.method !== 'GET') {
        const text = Buffer.concat(chunks);
        act(request.method, parts, request.headers['content-type'] === 'application/json' ? JSON.parse(text.toString()) : {}, reply);
        return;
      }
      if (parts[1] === 'whoami') { json(reply, { name: `${role}-1`, role: role === 'promoter' ? 'submitter' : role, may: kMay[role] }); return; }
      if (parts[1] === 'events') {
        reply.writeHead(200, { ...kHeaders, 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-store' });
        reply.write(`:ok${request.headers['last-event-id'] ? ` after ${request.headers['last-event-id']}` : ''}\n\n`);
        streams.add(reply);
        reply.on('close', () => streams.delete(reply));
        return;
      }
      if (url.searchParams.get('format') === 'csv') { csv(reply, parts[parts.length - 1]); return; }
      if (parts[1] === 'campaigns' && parts.length === 2) {
        json(reply, { items: [kBigCampaign, kCampaign].map((id) => campaignPage(id, tables[id]).campaign), next_cursor: null });
        return;
      }
      if (parts[1] === 'campaigns' && parts[3] === 'candidates') {
        json(reply, { items: [{ id: uuid(2, 40), index: 40, rules: [{ ...rulesOf(1)[0], knobs: { 'unroll-count': '3' } }, ...rulesOf(1).slice(1)], job: { id: uuid(5, 3), state: 'done', outcome: 'ok', verdict: 'inconclusive', reward: { value: 0.004, low: -0.004, high: 0.012 } } }] });
        return;
      }
      const found = parts[1] === 'views' ? views(parts, url.searchParams, role) : parts[1] === 'targets' ? { items: [], next_cursor: null } : null;
      json(reply, found ?? { title: 'Not Found', status: 404, detail: `there is no ${url.pathname}` }, found ? 200 : 404);
    });
  });
  return new Promise((resolve) => {
    server.listen(port, '127.0.0.1', () => resolve({ url: `http://127.0.0.1:${server.address().port}`, close: () => { server.closeAllConnections(); server.close(); } }));
  });
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const option = (name, fallback) => { const at = process.argv.indexOf(`--${name}`); return at < 0 ? fallback : process.argv[at + 1]; };
  const mock = await startMock({ page: option('page'), port: Number(option('port', '0')), candidateCount: Number(option('candidates', '10000')), resultCount: Number(option('results', '100000')) });
  console.log(mock.url);
  process.stdin.resume();
  process.stdin.on('end', () => process.exit(0));
}
