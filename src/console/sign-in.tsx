import { type FormEvent, type MouseEvent, useState } from 'react';
import { signIn } from './api.ts';
import { leaveForProvider } from './provider.ts';

/** The form before everything else. */
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
    <main className="sign-in">
      <h1>Haulgate</h1>
      <form onSubmit={submit}>
        <label>
          E-mail
          <input name="email" type="email" autoComplete="username" required />
        </label>
        <label>
          Password
          <input name="password" type="password" autoComplete="current-password" required />
        </label>
        <p role="alert">{problem}</p>
        <button type="submit" disabled={busy}>
          Sign in
        </button>
        <button type="button" disabled={busy} onClick={leave}>
          Use my company's sign-in
        </button>
      </form>
    </main>
  );
}
