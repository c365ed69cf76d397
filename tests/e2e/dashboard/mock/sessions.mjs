// Compile sessions without a compiler: each distinct pipeline takes some instructions away, the first time it is applied.
import { uuid } from './random.mjs';

const sessions = new Map();
let made = 0;

function instructions(history) {
  const seen = new Set();
  let count = 600;
  for (const pipeline of history) {
    if (!seen.has(pipeline)) {
      seen.add(pipeline);
      count -= 5 + ((pipeline.length * 7) % 30);
    }
  }
  return count;
}

function answer(id, extra) {
  const history = sessions.get(id);
  const count = instructions(history);
  return {
    session: id, outcome: 'ok', applied: 0, changed: false, length: history.length,
    observations: { IrInstructionCount: count, Autophase: Array.from({ length: 56 }, (_, index) => (index === 51 ? count : (index * 3) % 17)) },
    rewards: { IrInstructionCountO3: (600 - count) / 300, IrInstructionCountOz: (600 - count) / 320, IrInstructionCountLog: Math.log(600 / count) }, ...extra,
  };
}

export function openSession() {
  made += 1;
  const id = uuid(8, made);
  sessions.set(id, []);
  return answer(id, {});
}

export function runCommand(id, command, body) {
  const history = sessions.get(id);
  if (!history) {
    return null;
  }
  if (command === 'fork') {
    made += 1;
    const copy = uuid(8, made);
    sessions.set(copy, [...history]);
    return answer(copy, {});
  }
  if (command === 'undo') {
    history.splice(Math.max(0, history.length - (body.count ?? 1)));
  } else if (command === 'step') {
    const bad = (body.pipelines ?? []).find((pipeline) => pipeline.includes('<script'));
    if (bad) {
      return answer(id, { outcome: 'crashed', pipeline: bad, reason: `unknown pass name '${bad}'` });
    }
    const before = instructions(history);
    history.push(...(body.pipelines ?? []));
    return answer(id, { applied: (body.pipelines ?? []).length, changed: instructions(history) !== before });
  } else if (command === 'close') {
    sessions.delete(id);
    return {};
  }
  return answer(id, {});
}

export function openSessions() {
  return sessions.size;
}
