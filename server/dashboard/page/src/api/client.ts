// Every request of the page. The token goes into a header, an answer that is no success becomes an
// ApiError with the server's own words, and a refused token signs the tab out.
import { forgetToken, token } from '../sign_in/token';
import type { Problem } from './shapes';

export class ApiError extends Error {
  constructor(
    readonly status: number,
    readonly problem: Problem,
  ) {
    super(problemText(status, problem));
  }
}

export function problemText(status: number, problem: Problem): string {
  const parts = [problem.detail || problem.title || `the server answered with status ${status}`];
  for (const field of problem.errors ?? []) {
    parts.push(`${field.pointer} ${field.detail}`);
  }
  return parts.join('; ');
}

export interface Ask {
  method?: 'GET' | 'POST' | 'PUT' | 'DELETE';
  json?: unknown;
  body?: Blob;
  headers?: Record<string, string>;
  signal?: AbortSignal;
  token?: string; // to try one that is not kept yet
}

export async function ask(path: string, options: Ask = {}): Promise<Response> {
  const own = options.token ?? token() ?? '';
  const headers: Record<string, string> = { Authorization: `Bearer ${own}`, ...options.headers };
  const init: RequestInit = { method: options.method ?? 'GET', headers, cache: 'no-store', credentials: 'omit' };
  if (options.json !== undefined) {
    headers['Content-Type'] = 'application/json';
    init.body = JSON.stringify(options.json);
  } else if (options.body !== undefined) {
    headers['Content-Type'] = 'application/octet-stream';
    init.body = options.body;
  }
  if (options.signal) {
    init.signal = options.signal;
  }
  let reply: Response;
  try {
    reply = await fetch(path, init);
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') {
      throw error;
    }
    throw new ApiError(0, { detail: 'The coordinator does not answer. The page tries again by itself where it is live.' });
  }
  if (!reply.ok) {
    if (reply.status === 401 && options.token === undefined) {
      forgetToken();
    }
    throw new ApiError(reply.status, await readProblem(reply));
  }
  return reply;
}

export async function get<T>(path: string, signal?: AbortSignal): Promise<T> {
  const reply = await ask(path, signal ? { signal } : {});
  return (await reply.json()) as T;
}

export async function post<T>(path: string, json?: unknown, headers?: Record<string, string>): Promise<T> {
  const options: Ask = { method: 'POST' };
  if (json !== undefined) {
    options.json = json;
  }
  if (headers) {
    options.headers = headers;
  }
  const reply = await ask(path, options);
  return (reply.status === 204 ? undefined : await reply.json()) as T;
}

// "/v1/x" and {a: 1, b: null} as "/v1/x?a=1": what is null or empty is left out.
export function withQuery(path: string, query: Record<string, string | number | null | undefined>): string {
  const pairs = Object.entries(query).filter(([, value]) => value !== null && value !== undefined && value !== '');
  const text = pairs.map(([key, value]) => `${encodeURIComponent(key)}=${encodeURIComponent(String(value))}`).join('&');
  return text === '' ? path : `${path}${path.includes('?') ? '&' : '?'}${text}`;
}

async function readProblem(reply: Response): Promise<Problem> {
  try {
    return (await reply.json()) as Problem;
  } catch {
    return { detail: `the server answered with status ${reply.status}` };
  }
}
