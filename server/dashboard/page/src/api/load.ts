// What a view shows of one request: the answer, or why there is none. While it is asked for again the old answer
// stays on the screen, since a table that vanishes once a second cannot be read.
import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { get } from './client';

export interface Loaded<T> {
  data: T | null;
  error: Error | null;
  reload(): void;
}

// `path` null: nothing to ask for yet.
export function useLoad<T>(path: string | null): Loaded<T> {
  const [state, setState] = useState<{ path: string | null; data: T | null; error: Error | null }>({
    path,
    data: null,
    error: null,
  });
  const [turn, setTurn] = useState(0);
  const busy = useRef(false);
  useEffect(() => {
    if (path === null) {
      return undefined;
    }
    const ending = new AbortController();
    busy.current = true;
    get<T>(path, ending.signal).then(
      (data) => {
        if (!ending.signal.aborted) {
          busy.current = false;
          setState({ path, data, error: null });
        }
      },
      (error: Error) => {
        if (!ending.signal.aborted) {
          busy.current = false;
          setState((old) => ({ path, data: old.path === path ? old.data : null, error }));
        }
      },
    );
    return () => ending.abort();
  }, [path, turn]);
  const reload = useCallback(() => {
    // One request at a time: if the server is slower than the events are, it is asked less often.
    if (!busy.current) {
      setTurn((old) => old + 1);
    }
  }, []);
  // What was answered to another question is no answer to this one.
  const own = state.path === path;
  return { data: own ? state.data : null, error: own ? state.error : null, reload };
}
