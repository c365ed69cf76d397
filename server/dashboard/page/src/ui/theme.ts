// Light or dark: the system's, until somebody here chooses.
import { useEffect, useState } from 'preact/hooks';

export type Theme = 'light' | 'dark';
const kKey = 'hone-theme';
const system = matchMedia('(prefers-color-scheme: dark)');
const listeners = new Set<() => void>();

export function theme(): Theme {
  const chosen = localStorage.getItem(kKey);
  return chosen === 'light' || chosen === 'dark' ? chosen : system.matches ? 'dark' : 'light';
}

export function chooseTheme(value: Theme): void {
  localStorage.setItem(kKey, value);
  apply();
}

export function startTheme(): void {
  system.addEventListener('change', apply);
  apply();
}

function apply(): void {
  document.documentElement.dataset['theme'] = theme();
  for (const listener of listeners) {
    listener();
  }
}

// For what is painted on a canvas, which no style sheet reaches.
export function useTheme(): Theme {
  const [value, setValue] = useState(theme);
  useEffect(() => {
    const update = (): void => setValue(theme());
    listeners.add(update);
    return () => {
      listeners.delete(update);
    };
  }, []);
  return value;
}

export function colour(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
}
