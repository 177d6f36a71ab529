import { type FormEvent, type MouseEvent, useState } from 'react';
import { signIn } from '../server/session.ts';
import { say } from '../words.ts';
import { Entry } from './entry.tsx';
import { leaveForProvider } from './provider.ts';

/** The sign-in form. */
export function SignIn({ reason, onSignedIn }: { reason: string; onSignedIn: () => void }) {
  const [problem, setProblem] = useState(reason);
  const [busy, setBusy] = useState(false);
  const attempt = async (act: () => Promise<void>) => {
    setBusy(true);
    try {
      await act();
    } catch (error) {
      setProblem((error as Error).message);
      setBusy(false);
    }
  };
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    void attempt(async () => {
      await signIn(String(form.get('email')), String(form.get('password')));
      onSignedIn();
    });
  };
  const leave = ({ currentTarget: { form } }: MouseEvent<HTMLButtonElement>) =>
    void attempt(() => leaveForProvider(String(new FormData(form!).get('email'))));
  return (
    <Entry title="Haulgate">
      <form onSubmit={submit}>
        <label>
          {say('email')}
          <input name="email" type="email" autoComplete="username" required />
        </label>
        <label>
          {say('password')}
          <input name="password" type="password" autoComplete="current-password" required />
        </label>
        <p role="alert">{problem}</p>
        <button type="submit" disabled={busy}>
          {say('sign_in')}
        </button>
        <button type="button" disabled={busy} onClick={leave}>
          {say('by_company')}
        </button>
      </form>
      <p className="ways">
        <a href="/console/sign-in">{say('by_email')}</a> <a href="/console/reset-password">{say('forgotten')}</a>
      </p>
    </Entry>
  );
}
