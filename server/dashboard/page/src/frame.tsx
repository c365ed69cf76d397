// What is around every view: where one can go, who is signed in, light or dark.
import { useEffect, useRef } from 'preact/hooks';
import type { WhoAmI } from './api/shapes';
import { pathTo, usePlace } from './route/router';
import { forgetToken } from './sign_in/token';
import { chooseTheme, useTheme } from './ui/theme';
import { viewOf } from './views/views';

const kNav: [string, string, string[]][] = [
  ['Overview', 'overview', ['overview']],
  ['Campaigns', 'campaigns', ['campaigns', 'candidates', 'jobs']],
  ['History', 'targets', ['targets']],
  ['Fleet', 'fleet', ['fleet']],
  ['Policies', 'policies', ['policies']],
  ['Canaries', 'canaries', ['canaries']],
  ['Explorer', 'explorer', ['explorer']],
];

export function Frame({ who }: { who: WhoAmI }) {
  const place = usePlace();
  const theme = useTheme();
  const main = useRef<HTMLElement>(null);
  const view = viewOf(place);
  useEffect(() => {
    document.title = `${view.title} · Hone`;
  }, [view.title]);
  const here = place.parts[0] ?? 'overview';
  return (
    <>
      <a class="skip" href="#main" onClick={(event) => { event.preventDefault(); main.current?.focus(); }}>
        Skip to the content
      </a>
      <header class="top">
        <a class="brand" href={pathTo('overview')}>Hone</a>
        <nav aria-label="Views">
          <ul>
            {kNav.map(([title, part, under]) => (
              <li key={part}>
                <a href={pathTo(part)} aria-current={under.includes(here) ? 'page' : undefined}>{title}</a>
              </li>
            ))}
          </ul>
        </nav>
        <div class="end">
          <button type="button" aria-pressed={theme === 'dark'} onClick={() => chooseTheme(theme === 'dark' ? 'light' : 'dark')}>
            Dark
          </button>
          <span class="quiet">
            {who.name} {who.role ? <span class="badge">{who.role}</span> : null}
          </span>
          <button type="button" onClick={forgetToken}>Sign out</button>
        </div>
      </header>
      <main id="main" ref={main} tabIndex={-1}>
        {who.may.read ? view.show() : <p class="note care" role="alert">A token with the role {who.role} may not read: sign in with another one.</p>}
      </main>
    </>
  );
}
