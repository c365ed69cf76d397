// A view that is live: told that something changed at most once in `everyMs`, however many events come,
// and once more after the last of them. What was told is not kept, so that memory stays flat over a day.
import { useEffect, useRef, useState } from 'preact/hooks';
import type { LiveEvent } from '../api/shapes';
import { follow, type LiveState } from './follow';

export interface Live {
  state: LiveState;
  events: number; // since the view was opened
  last: LiveEvent | null;
}

// `about`: the campaign that the view is about, on the stream of everything, which starts now; a campaign's own stream
// would tell its whole past first.
export function useLive(path: string | null, everyMs: number, changed: () => void, about?: string): Live {
  const [live, setLive] = useState<Live>({ state: 'connecting', events: 0, last: null });
  const callback = useRef(changed);
  callback.current = changed;
  useEffect(() => {
    if (path === null) {
      return undefined;
    }
    let state: LiveState = 'connecting';
    let events = 0;
    let last: LiveEvent | null = null;
    let timer: ReturnType<typeof setTimeout> | null = null;
    let dirty = false;
    let wasLive = false;
    const show = (): void => setLive({ state, events, last });
    const tick = (): void => {
      timer = null;
      if (dirty) {
        dirty = false;
        show();
        callback.current();
        timer = setTimeout(tick, everyMs);
      }
    };
    const stop = follow(path, {
      onEvent(event) {
        const parsed = parseEvent(event.data);
        if (parsed && (about === undefined || parsed.campaign === about)) {
          events += 1;
          last = parsed;
          dirty = true;
          // The first one of a burst is shown at once, but together with what came in the same moment.
          timer ??= setTimeout(tick, Math.min(100, everyMs));
        }
      },
      onState(now) {
        if (now !== state) {
          state = now;
          show();
          if (now === 'live') {
            if (wasLive) {
              callback.current(); // what was missed while the stream was cut
            }
            wasLive = true;
          }
        }
      },
    });
    return () => {
      stop();
      if (timer) {
        clearTimeout(timer);
      }
    };
  }, [path, everyMs, about]);
  return live;
}

function parseEvent(data: string): LiveEvent | null {
  try {
    const value: unknown = JSON.parse(data);
    return typeof value === 'object' && value !== null && 'kind' in value ? (value as LiveEvent) : null;
  } catch {
    return null; // a line that is no JSON says nothing; the next reload tells the truth
  }
}
