// One compile session of the coordinator, asked one thing at a time. What it tells of a state is always the
// same: instructions, Autophase's numbers, and the rewards that were chosen.
import { ask, ApiError, post } from '../../api/client';
import type { SessionState } from '../../api/shapes_explorer';

export const kObserve = ['IrInstructionCount', 'Autophase'];

export class Session {
  private last: Promise<unknown> = Promise.resolve();

  private constructor(
    readonly id: string,
    readonly opened: SessionState,
    private readonly rewards: string[],
  ) {}

  static async open(program: string, rewards: string[]): Promise<Session> {
    // Logged: the coordinator's tree of this program grows by what is tried here.
    const opened = await post<SessionState>('/v1/sessions', { program, observe: kObserve, rewards, log: true });
    return new Session(opened.session, opened, rewards);
  }

  step(pipelines: string[]): Promise<SessionState> {
    return this.ask('step', { pipelines, observe: kObserve, rewards: this.rewards });
  }

  undo(count: number): Promise<SessionState> {
    return this.ask('undo', { count, observe: kObserve });
  }

  // Rewards of the whole episode so far.
  look(): Promise<SessionState> {
    return this.ask('observe', { observe: kObserve, rewards: this.rewards });
  }

  async fork(): Promise<Session> {
    const copy = await this.ask('fork', { observe: kObserve });
    return new Session(copy.session, copy, this.rewards);
  }

  async close(): Promise<void> {
    await this.last.catch(() => undefined);
    try {
      await ask(`/v1/sessions/${this.id}`, { method: 'DELETE' });
    } catch (error) {
      // Closed already, by time or by a token's end: that is what was wanted.
      if (!(error instanceof ApiError) || error.status !== 404) {
        throw error;
      }
    }
  }

  private ask(command: string, body: object): Promise<SessionState> {
    const next = this.last.catch(() => undefined).then(() => post<SessionState>(`/v1/sessions/${this.id}/${command}`, body));
    this.last = next;
    return next;
  }
}

export function instructionsOf(state: SessionState): number | null {
  const value = state.observations?.['IrInstructionCount'];
  return typeof value === 'number' ? value : null;
}

export function featuresOf(state: SessionState): number[] | null {
  const value = state.observations?.['Autophase'];
  return Array.isArray(value) && value.every((one) => typeof one === 'number') ? (value as number[]) : null;
}
