// Searches that are triggered from the page, on a copy of the session, so that the walked tree stays as it is until
// a search has found something. Greedy: every action from here, the one that leaves the fewest instructions is kept, and
// again. Random: walks of some length from here, the best state of all is kept. Both end by their budget of
// steps, or when they are stopped; hone env search has more and runs without a browser.
import type { ExplorerAction, SessionState } from '../../api/shapes_explorer';
import { instructionsOf } from './session';

export interface Walker {
  step(pipelines: string[]): Promise<SessionState>;
  undo(count: number): Promise<SessionState>;
}

export interface SearchOptions {
  kind: 'greedy' | 'random';
  steps: number; // of the budget
  length: number; // of a random walk
  from: number; // instructions where it begins
  random: () => number;
  stopped: () => boolean;
  told: (progress: SearchProgress) => void;
}

export interface SearchProgress {
  steps: number;
  best: number;
  path: string[]; // pipelines that lead from the start to the best
  failures: number;
}

export async function search(walker: Walker, actions: readonly ExplorerAction[], options: SearchOptions): Promise<SearchProgress> {
  const progress: SearchProgress = { steps: 0, best: options.from, path: [], failures: 0 };
  const goes = (): boolean => progress.steps < options.steps && !options.stopped();
  if (options.kind === 'greedy') {
    await greedy(walker, actions, options, progress, goes);
  } else {
    await walks(walker, actions, options, progress, goes);
  }
  return progress;
}

// The step as the session took it: instructions behind it, or null where it failed or changed nothing.
async function tryStep(walker: Walker, pipeline: string, options: SearchOptions, progress: SearchProgress): Promise<{ applied: number; instructions: number | null }> {
  const state = await walker.step([pipeline]);
  progress.steps += 1;
  if (state.outcome !== 'ok') {
    progress.failures += 1;
  }
  options.told({ ...progress, path: [...progress.path] });
  return { applied: state.applied, instructions: state.outcome === 'ok' && state.changed ? instructionsOf(state) : null };
}

async function greedy(walker: Walker, actions: readonly ExplorerAction[], options: SearchOptions, progress: SearchProgress, goes: () => boolean): Promise<void> {
  for (;;) {
    let chosen: string | null = null;
    let least = progress.best;
    for (const action of actions) {
      if (!goes()) {
        break;
      }
      const { applied, instructions } = await tryStep(walker, action.pipeline, options, progress);
      if (applied > 0) {
        await walker.undo(applied);
      }
      if (instructions !== null && instructions < least) {
        least = instructions;
        chosen = action.pipeline;
      }
    }
    if (chosen === null) {
      return; // nothing makes it smaller, or the budget is over
    }
    await walker.step([chosen]);
    progress.best = least;
    progress.path = [...progress.path, chosen];
    options.told({ ...progress });
    if (!goes()) {
      return;
    }
  }
}

async function walks(walker: Walker, actions: readonly ExplorerAction[], options: SearchOptions, progress: SearchProgress, goes: () => boolean): Promise<void> {
  while (goes() && actions.length > 0) {
    const path: string[] = [];
    while (path.length < options.length && goes()) {
      const action = actions[Math.floor(options.random() * actions.length)];
      if (!action) {
        break;
      }
      const { applied, instructions } = await tryStep(walker, action.pipeline, options, progress);
      if (applied > 0) {
        path.push(action.pipeline);
      }
      if (instructions !== null && instructions < progress.best) {
        progress.best = instructions;
        progress.path = [...path];
      }
    }
    if (path.length > 0) {
      await walker.undo(path.length);
    }
  }
}
