// The form for a token. It is tried before it is kept; the URL that somebody shared stays, and opens behind it.
import { useEffect, useRef, useState } from 'preact/hooks';
import { ApiError, ask } from '../api/client';
import { keepToken } from './token';

export function SignIn() {
  const [value, setValue] = useState('');
  const [failed, setFailed] = useState('');
  const [busy, setBusy] = useState(false);
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => {
    document.title = 'Sign in · Hone';
    field.current?.focus();
  }, []);
  const submit = (event: Event): void => {
    event.preventDefault();
    const trimmed = value.trim();
    if (!/^[\x21-\x7e]{1,512}$/.test(trimmed)) {
      setFailed('A token is one word of letters, digits and signs: the whole content of the token file.');
      field.current?.focus();
      return;
    }
    setBusy(true);
    ask('/v1/whoami', { token: trimmed }).then(
      () => keepToken(trimmed),
      (error: Error) => {
        setBusy(false);
        setFailed(error instanceof ApiError && error.status === 401 ? 'The coordinator does not know this token, or it was revoked.' : error.message);
        field.current?.focus();
      },
    );
  };
  return (
    <main>
      <section class="panel sign-in" aria-label="Sign in">
        <div class="body">
          <form onSubmit={submit}>
            <h1>Hone</h1>
            <label for="token">
              Token
              <input
                id="token"
                ref={field}
                type="password"
                autocomplete="off"
                spellcheck={false}
                value={value}
                aria-invalid={failed !== ''}
                aria-describedby="token-help token-failed"
                onInput={(event) => setValue(event.currentTarget.value)}
              />
            </label>
            <div id="token-failed" role="alert" class="loss">
              {failed}
            </div>
            <button type="submit" class="primary" disabled={busy}>
              Sign in
            </button>
            <p id="token-help" class="quiet">
              <code>hone up</code> writes the first one to <code>admin.token</code> in its data folder; <code>hone token create NAME --role viewer</code> makes
              others. It is kept in this tab only.
            </p>
          </form>
        </div>
      </section>
    </main>
  );
}
