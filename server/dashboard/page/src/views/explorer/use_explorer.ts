// The walked tree and the session that walks it. The path to where we are is in the URL: whoever opens it comes to
// the same state, by a session of their own.
import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import type { ExplorerAction, SessionState } from '../../api/shapes_explorer';
import { setQuery } from '../../route/router';
import { search, type SearchOptions, type SearchProgress } from './search';
import { featuresOf, instructionsOf, Session } from './session';
import { added, pathOf, rootOf, wayTo, type NewNode, type StepTree } from './step_tree';

export interface ExplorerState {
  tree: StepTree | null;
  busy: boolean;
  error: Error | null;
  progress: SearchProgress | null;
  step(pipelines: string[]): void;
  go(node: number): void;
  find(actions: readonly ExplorerAction[], options: Pick<SearchOptions, 'kind' | 'steps' | 'length'>): void;
  stop(): void;
}

const kSeparator = '~'; // no pipeline has one

export function pathOfUrl(text: string | null): string[] {
  return (text ?? '').split(kSeparator).filter((part) => part !== '');
}

export function useExplorer(program: string | null, rewards: string[], mayStep: boolean): ExplorerState {
  const [tree, setTree] = useState<StepTree | null>(null);
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<Error | null>(null);
  const [progress, setProgress] = useState<SearchProgress | null>(null);
  const session = useRef<Session | null>(null);
  const held = useRef<StepTree | null>(null);
  const stopped = useRef(false);

  const show = useCallback((next: StepTree) => {
    held.current = next;
    setTree(next);
    const path = pathOf(next, next.at).map((node) => node.pipeline).filter((pipeline) => pipeline !== '');
    setQuery({ path: path.length > 0 ? path.join(kSeparator) : null });
  }, []);

  const run = useCallback((work: (own: Session, tree: StepTree) => Promise<void>) => {
    const own = session.current;
    const now = held.current;
    if (!own || !now) {
      return;
    }
    setBusy(true);
    setError(null);
    work(own, now).catch((failed: Error) => setError(failed)).finally(() => setBusy(false));
  }, []);

  // One pipeline after the other, each a node of its own; the first that fails ends it.
  const walk = useCallback(async (own: Session, start: StepTree, pipelines: string[]): Promise<StepTree> => {
    let now = start;
    for (const pipeline of pipelines) {
      const state = await own.step([pipeline]);
      const total = state.outcome === 'ok' ? ((await own.look()).rewards ?? {}) : {};
      now = added(now, now.at, pipeline, nodeOf(state, total));
      show(now);
      if (state.outcome !== 'ok') {
        break;
      }
    }
    return now;
  }, [show]);

  const names = rewards.join(' ');
  useEffect(() => {
    held.current = null;
    setTree(null);
    setProgress(null);
    setError(null);
    if (program === null || !mayStep) {
      return undefined;
    }
    let gone = false;
    let opened: Session | null = null;
    const wanted = pathOfUrl(new URLSearchParams(location.search).get('path'));
    setBusy(true);
    Session.open(program, names.split(' '))
      .then(async (own) => {
        opened = own;
        if (gone) {
          await own.close();
          return;
        }
        session.current = own;
        const root = rootOf(instructionsOf(own.opened), featuresOf(own.opened));
        held.current = root;
        setTree(root);
        await walk(own, root, wanted);
      })
      .catch((failed: Error) => {
        if (!gone) {
          setError(failed);
        }
      })
      .finally(() => {
        if (!gone) {
          setBusy(false);
        }
      });
    return () => {
      gone = true;
      stopped.current = true;
      session.current = null;
      void opened?.close().catch(() => undefined); // the coordinator closes it in an hour at the latest
    };
  }, [program, mayStep, names]);

  return {
    tree, busy, error, progress,
    step: (pipelines) => run(async (own, now) => { await walk(own, now, pipelines); }),
    go: (node) => run(async (own, now) => {
      const way = wayTo(now, now.at, node);
      if (way.undo > 0) {
        await own.undo(way.undo);
      }
      if (way.pipelines.length > 0) {
        const state = await own.step(way.pipelines);
        if (state.outcome !== 'ok') {
          throw new Error(`The way there failed at ${state.pipeline ?? 'a step'}: ${state.reason ?? state.outcome}`);
        }
      }
      show({ ...now, at: node });
    }),
    find: (actions, options) => run(async (own, now) => {
      stopped.current = false;
      const from = now.nodes[now.at]?.instructions;
      if (typeof from !== 'number') {
        throw new Error('Instructions were not counted here: there is nothing to search by.');
      }
      const copy = await own.fork();
      try {
        const found = await search(copy, actions, { ...options, from, random: Math.random, stopped: () => stopped.current, told: setProgress });
        setProgress(found);
        await walk(own, now, found.path);
      } finally {
        await copy.close();
      }
    }),
    stop: () => {
      stopped.current = true;
    },
  };
}

function nodeOf(state: SessionState, total: Record<string, number>): NewNode {
  return {
    outcome: state.outcome,
    reason: state.reason ?? '',
    changed: state.changed,
    instructions: state.outcome === 'ok' ? instructionsOf(state) : null,
    features: state.outcome === 'ok' ? featuresOf(state) : null,
    rewards: state.rewards ?? {},
    total,
  };
}
