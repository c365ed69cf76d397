// Where in the page we are is the URL and nothing else, so that whatever is on the screen can be shared:
// the path names the view, the query holds its filters, order and window.
import { useEffect, useState } from 'preact/hooks';

export const kPrefix = '/ui';

export interface Place {
  parts: string[]; // of the path below the prefix, decoded
  query: URLSearchParams;
}

type Listener = () => void;
const listeners = new Set<Listener>();

export function placeOf(pathname: string, search: string): Place {
  const below = pathname.startsWith(`${kPrefix}/`) ? pathname.slice(kPrefix.length + 1) : '';
  const parts = below.split('/').filter((part) => part !== '').map(decode);
  return { parts, query: new URLSearchParams(search) };
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part; // a stray % that somebody typed
  }
}

export function pathTo(...parts: string[]): string {
  return [kPrefix, ...parts.map(encodeURIComponent)].join('/');
}

// Whether a link was followed since it was asked last: the new view's heading then takes the focus.
let moved = false;

export function takeMove(): boolean {
  const value = moved;
  moved = false;
  return value;
}

export function navigate(url: string): void {
  history.pushState(null, '', url);
  moved = true;
  scrollTo(0, 0);
  tell();
}

// Changes of a filter or window are no new place: Back leads to the view before, not to a letter less.
export function setQuery(change: Record<string, string | null>): void {
  const query = new URLSearchParams(location.search);
  for (const [key, value] of Object.entries(change)) {
    if (value === null || value === '') {
      query.delete(key);
    } else {
      query.set(key, value);
    }
  }
  const text = query.toString();
  history.replaceState(null, '', text === '' ? location.pathname : `${location.pathname}?${text}`);
  tell();
}

function tell(): void {
  for (const listener of listeners) {
    listener();
  }
}

export function usePlace(): Place {
  const [place, setPlace] = useState(() => placeOf(location.pathname, location.search));
  useEffect(() => {
    const update = (): void => setPlace(placeOf(location.pathname, location.search));
    listeners.add(update);
    addEventListener('popstate', update);
    return () => {
      listeners.delete(update);
      removeEventListener('popstate', update);
    };
  }, []);
  return place;
}

// One listener for all links: what a browser would open in this tab and is ours is a change of place.
export function followLinks(root: HTMLElement): void {
  root.addEventListener('click', (event) => {
    const link = event.target instanceof Element ? event.target.closest('a') : null;
    if (!link || event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) {
      return;
    }
    const ours = link.origin === location.origin && (link.pathname === kPrefix || link.pathname.startsWith(`${kPrefix}/`));
    if (ours && !link.target && !link.hasAttribute('download')) {
      event.preventDefault();
      navigate(link.pathname + link.search);
    }
  });
}
