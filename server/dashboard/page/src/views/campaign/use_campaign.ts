// A campaign's page, kept up to date by what changed since the last answer.
import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { get, withQuery } from '../../api/client';
import { takeEarly } from '../../api/early';
import type { CampaignState } from '../../api/shapes';
import type { CampaignPage } from '../../api/shapes_campaign';
import { useLive, type Live } from '../../live/use_live';
import { mergePages } from './merge';

// The server's clock and a transaction that is still to commit: rows are asked for again a little back.
const kOverlapMs = 2000;
const kEveryMs = 1000;

export function isRunning(state: CampaignState): boolean {
  return state === 'waiting' || state === 'racing' || state === 'confirming';
}

export function useCampaign(id: string): { page: CampaignPage | null; error: Error | null; live: Live; refresh: () => void } {
  const path = `/v1/views/campaigns/${encodeURIComponent(id)}`;
  const [page, setPage] = useState<CampaignPage | null>(null);
  const [error, setError] = useState<Error | null>(null);
  const held = useRef<CampaignPage | null>(null);
  const busy = useRef(false);
  const missed = useRef(false);
  const ending = useRef<AbortController | null>(null);
  const refresh = useCallback(() => {
    if (busy.current) {
      missed.current = true;
      return;
    }
    busy.current = true;
    const signal = ending.current?.signal;
    const old = held.current;
    const since = old ? Date.parse(old.now) - kOverlapMs : null;
    const asked = since === null ? takeEarly(path) : null;
    const answered = asked ? asked.then(async (reply) => (await reply.json()) as CampaignPage) : get<CampaignPage>(withQuery(path, { since }), signal);
    answered.then(
      (answer) => {
        busy.current = false;
        held.current = old ? mergePages(old, answer) : answer;
        setPage(held.current);
        setError(null);
        if (missed.current) {
          missed.current = false;
          setTimeout(refresh, kEveryMs);
        }
      },
      (failed: Error) => {
        busy.current = false;
        if (!signal?.aborted) {
          setError(failed);
        }
      },
    );
  }, [path]);
  useEffect(() => {
    ending.current = new AbortController();
    held.current = null;
    busy.current = false;
    refresh();
    return () => ending.current?.abort();
  }, [refresh]);
  const live = useLive(page && isRunning(page.campaign.state) ? '/v1/events' : null, kEveryMs, refresh, id);
  return { page, error, live, refresh };
}
