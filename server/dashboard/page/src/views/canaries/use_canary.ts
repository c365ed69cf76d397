// A canary that is looked at again for as long as it lives; of its windows only those that came since are asked for.
import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { get, withQuery } from '../../api/client';
import { isOver, type CanaryPage } from '../../api/shapes_canary';
import type { LiveState } from '../../live/follow';
import { merged } from './merge';

const kLeastMs = 2000;
const kMostMs = 15_000;

// Nothing new comes between two windows but what is done by hand; and a canary that waits for days has many.
export function pauseOf(page: CanaryPage | null): number {
  return Math.max(kLeastMs, Math.min(kMostMs, (page?.canary.service.window_seconds ?? 0) * 500));
}

export interface LiveCanary {
  data: CanaryPage | null;
  error: Error | null;
  state: LiveState;
  reload: () => void;
}

export function useCanary(path: string): LiveCanary {
  const [shown, setShown] = useState<{ data: CanaryPage | null; error: Error | null; state: LiveState }>({ data: null, error: null, state: 'connecting' });
  const held = useRef<CanaryPage | null>(null);
  const look = useRef<() => void>(() => undefined);
  useEffect(() => {
    const ending = new AbortController();
    let timer: ReturnType<typeof setTimeout> | null = null;
    let asking = false;
    const ask = async (): Promise<void> => {
      if (asking) {
        return;
      }
      asking = true;
      const before = held.current;
      try {
        const page = await get<CanaryPage>(withQuery(path, { since: before?.windows.rows || null }), ending.signal);
        const data = before ? merged(before, page) : page;
        held.current = data;
        setShown({ data, error: null, state: isOver(data.canary.status.state) && data.taught ? 'ended' : 'live' });
      } catch (error) {
        if (!ending.signal.aborted) {
          setShown({ data: held.current, error: error as Error, state: held.current ? 'waiting' : 'ended' });
        }
      }
      asking = false;
      if (!ending.signal.aborted && !finished(held.current)) {
        timer = setTimeout(() => void ask(), pauseOf(held.current));
      }
    };
    look.current = () => {
      if (timer) {
        clearTimeout(timer);
      }
      void ask();
    };
    void ask();
    return () => {
      ending.abort();
      if (timer) {
        clearTimeout(timer);
      }
    };
  }, [path]);
  const reload = useCallback(() => look.current(), []);
  return { ...shown, reload };
}

// Over, and what it taught is there: nothing comes any more.
function finished(page: CanaryPage | null): boolean {
  return page !== null && isOver(page.canary.status.state) && page.taught !== null;
}
