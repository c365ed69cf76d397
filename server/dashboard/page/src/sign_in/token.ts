// The token of this tab. It stays in sessionStorage, which ends with the tab; it is never part of a URL,
// which would be copied, logged and remembered.
const kKey = 'hone-token';

type Listener = () => void;
const listeners = new Set<Listener>();

export function token(): string | null {
  return sessionStorage.getItem(kKey);
}

export function keepToken(value: string): void {
  sessionStorage.setItem(kKey, value);
  tell();
}

export function forgetToken(): void {
  sessionStorage.removeItem(kKey);
  tell();
}

export function onTokenChange(listener: Listener): () => void {
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
  };
}

function tell(): void {
  for (const listener of listeners) {
    listener();
  }
}
