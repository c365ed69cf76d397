// Follows a stream of events for as long as a view is open: reconnects where it was cut off, by
// Last-Event-ID, with pauses that grow to half a minute, so that a coordinator that restarts is not stormed by every
// open page at once.
import { token } from '../sign_in/token';
import { EventParser, type StreamEvent } from './event_stream';

export type LiveState = 'connecting' | 'live' | 'waiting' | 'ended';

const kFirstPauseMs = 500;
const kLongestPauseMs = 30_000;

export interface Follower {
  onEvent(event: StreamEvent): void;
  onState(state: LiveState): void;
}

export function pauseAfter(failures: number, random: number): number {
  const full = Math.min(kLongestPauseMs, kFirstPauseMs * 2 ** Math.min(failures, 10));
  return full / 2 + (full / 2) * random;
}

// Gives what ends it.
export function follow(path: string, follower: Follower): () => void {
  const ending = new AbortController();
  void run(path, follower, ending.signal);
  return () => ending.abort();
}

async function run(path: string, follower: Follower, ending: AbortSignal): Promise<void> {
  let last = '';
  let failures = 0;
  while (!ending.aborted) {
    follower.onState('connecting');
    try {
      const ended = await readOnce(path, last, ending, follower, (event) => {
        last = event.id || last;
        failures = 0;
        follower.onEvent(event);
      });
      if (ended === 'refused') {
        follower.onState('ended');
        return;
      }
    } catch {
      // The network, or the server going down: both are waited for below.
    }
    if (ending.aborted) {
      return;
    }
    follower.onState('waiting');
    await pause(pauseAfter(failures, Math.random()), ending);
    failures += 1;
  }
}

async function readOnce(
  path: string,
  last: string,
  ending: AbortSignal,
  follower: Follower,
  emit: (event: StreamEvent) => void,
): Promise<'cut' | 'refused'> {
  const headers: Record<string, string> = { Accept: 'text/event-stream', Authorization: `Bearer ${token() ?? ''}` };
  if (last !== '') {
    headers['Last-Event-ID'] = last;
  }
  const reply = await fetch(path, { headers, signal: ending, cache: 'no-store' });
  if (reply.status >= 400 && reply.status < 500 && reply.status !== 429) {
    return 'refused'; // asking again would not help
  }
  if (!reply.ok || reply.body === null) {
    return 'cut';
  }
  follower.onState('live');
  const parser = new EventParser(emit);
  const decoder = new TextDecoder();
  const reader = reply.body.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) {
      return 'cut';
    }
    parser.push(decoder.decode(value, { stream: true }));
  }
}

function pause(milliseconds: number, ending: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, milliseconds);
    ending.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
