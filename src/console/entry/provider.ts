import { enterWith } from '../server/session.ts';
import { say, type Word } from '../words.ts';

/** The results with which a sign-in by an identity provider may end. */
const REASONS: Record<string, Word> = {
  expired: 'sso_expired',
  refused: 'sso_refused',
  no_account: 'sso_no_account',
  unavailable: 'sso_unavailable',
};

const VIEW = 'haulgate.view';

/**
 * Goes to the identity provider of an e-mail address.
 * @throws Error in words for a person if there is none
 */
export async function leaveForProvider(email: string): Promise<void> {
  const response = await fetch('/v1/sso_connections', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ email }),
  }).catch(() => undefined);
  if (response?.status === 422) throw new Error(say('email_first'));
  if (!response?.ok) throw new Error(say('not_signed_in'));
  const { data } = (await response.json()) as { data: { start_url: string }[] };
  const [connection] = data;
  if (!connection) throw new Error(say('no_provider'));
  sessionStorage.setItem(VIEW, location.pathname + location.search);
  location.assign(`${connection.start_url}?login_hint=${encodeURIComponent(email)}`);
}

/** Finishes a sign-in that ended on this page. @returns why it failed; empty if it succeeded, or if there was none */
export async function arriveFromProvider(): Promise<string> {
  const outcome = new URLSearchParams(location.hash.slice(1));
  const [token, reason] = [outcome.get('sso_token'), outcome.get('sso_error')];
  if (!token && !reason) return '';
  const view = sessionStorage.getItem(VIEW);
  sessionStorage.removeItem(VIEW);
  // The token is removed from the address, and so from the history, at once.
  history.replaceState(null, '', view ?? location.pathname);
  // A link with another person's token must not sign anybody in, so only a sign-in that this tab began is finished.
  if (!view) return say('sso_expired');
  if (reason) return say(REASONS[reason] ?? 'not_signed_in');
  try {
    await enterWith('/v1/auth/sso/login', { sso_token: token });
    return '';
  } catch (error) {
    return (error as Error).message;
  }
}
