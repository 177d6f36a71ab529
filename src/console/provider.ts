import { enterWith } from './api.ts';

/** Words for what a sign-in by an identity provider may end with. */
const REASONS: Record<string, string> = {
  expired: 'That sign-in took too long, or began in another window. Try again.',
  refused: "Your company's sign-in service did not confirm who you are.",
  no_account: 'You have no account here. Ask an administrator of your company.',
  unavailable: "Your company's sign-in service cannot be reached. Try again later.",
};
const VIEW = 'haulgate.view';

/**
 * Leaves for the identity provider of an e-mail address.
 * @throws Error in words for a person when there is none
 */
export async function leaveForProvider(email: string): Promise<void> {
  const response = await fetch('/v1/sso_connections', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ email }),
  }).catch(() => undefined);
  if (response?.status === 422) throw new Error('Enter your e-mail address first.');
  if (!response?.ok) throw new Error('Signing in did not work. Try again.');
  const { data } = (await response.json()) as { data: { start_url: string }[] };
  const [connection] = data;
  if (!connection) throw new Error('Your company has no sign-in service here: use your password.');
  sessionStorage.setItem(VIEW, location.pathname + location.search);
  location.assign(`${connection.start_url}?login_hint=${encodeURIComponent(email)}`);
}

/** Finishes a sign-in when this page is where it ended. @returns why it did not work; empty when it did, or there was none */
export async function arriveFromProvider(): Promise<string> {
  const outcome = new URLSearchParams(location.hash.slice(1));
  const [token, reason] = [outcome.get('sso_token'), outcome.get('sso_error')];
  if (!token && !reason) return '';
  const view = sessionStorage.getItem(VIEW);
  sessionStorage.removeItem(VIEW);
  // The token leaves the address at once, and with it the history.
  history.replaceState(null, '', view ?? location.pathname);
  // A link with somebody else's token must not sign anybody in: only what this tab began ends here.
  if (!view) return REASONS.expired!;
  if (reason) return REASONS[reason] ?? 'Signing in did not work. Try again.';
  try {
    await enterWith('/v1/auth/sso/login', { sso_token: token });
    return '';
  } catch (error) {
    return (error as Error).message;
  }
}
