import { type FormEvent, useState } from 'react';
import { signIn } from './api.ts';

/** The form before everything else. */
export function SignIn({ reason, onSignedIn }: { reason: string; onSignedIn: () => void }) {
  const [problem, setProblem] = useState(reason);
  const [busy, setBusy] = useState(false);
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    setBusy(true);
    try {
      await signIn(String(form.get('email')), String(form.get('password')));
      onSignedIn();
    } catch (error) {
      setProblem((error as Error).message);
      setBusy(false);
    }
  };
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
      </form>
    </main>
  );
}
