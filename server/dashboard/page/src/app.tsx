// The page as a whole: signed out, one form; signed in, the frame with the view that the URL names.
import { useEffect, useState } from 'preact/hooks';
import { get } from './api/client';
import type { WhoAmI } from './api/shapes';
import { SignIn } from './sign_in/sign_in';
import { forgetToken, onTokenChange, token } from './sign_in/token';
import { Frame } from './frame';
import { kNobody, Who } from './ui/who';
import { Failure } from './ui/panel';

export function App() {
  const [own, setOwn] = useState(token);
  const [who, setWho] = useState<WhoAmI | null>(null);
  const [error, setError] = useState<Error | null>(null);
  useEffect(() => onTokenChange(() => setOwn(token())), []);
  useEffect(() => {
    setWho(null);
    setError(null);
    if (own === null) {
      return undefined;
    }
    const ending = new AbortController();
    get<WhoAmI>('/v1/whoami', ending.signal).then(setWho, (failed: Error) => {
      if (!ending.signal.aborted) {
        setError(failed);
      }
    });
    return () => ending.abort();
  }, [own]);

  if (own === null) {
    return <SignIn />;
  }
  if (error) {
    return (
      <main>
        <Failure error={error} />
        <div class="actions">
          <button type="button" onClick={() => location.reload()}>Try again</button>
          <button type="button" onClick={forgetToken}>Sign out</button>
        </div>
      </main>
    );
  }
  // The view asks for its data while the server is asked who we are; until that is known, nothing is offered that
  // needs a role.
  return (
    <Who.Provider value={who ?? kNobody}>
      <Frame who={who ?? kNobody} />
    </Who.Provider>
  );
}
