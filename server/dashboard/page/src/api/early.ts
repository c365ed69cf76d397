// The first view's data is asked for when the page's first lines run, beside its code and not behind it: of a campaign of
// 10,000 candidates the answer is what takes longest.
import { ask } from './client';

let early: { path: string; reply: Promise<Response> } | null = null;

export function askEarly(path: string): void {
  const reply = ask(path);
  reply.catch(() => undefined); // whoever takes it is told
  early = { path, reply };
}

// The answer that is under way, once.
export function takeEarly(path: string): Promise<Response> | null {
  const taken = early?.path === path ? early.reply : null;
  early = null;
  return taken;
}
