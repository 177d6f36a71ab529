import { type TxContext } from '../../platform/commands/transact.ts';
import type { Context } from '../../platform/context.ts';
import { queryIn } from '../../platform/database/sql.ts';
import { HaulgateError, Unauthenticated } from '../../platform/errors.ts';
import { translate } from '../../platform/i18n/messages.ts';
import { newId } from '../../platform/ids.ts';
import { composeWith, sendLater } from '../../platform/outgoing/outgoing.ts';
import { passwordProblems } from '../passwords/password-rules.ts';
import { hashPassword } from '../passwords/passwords.ts';
import { revokeSessions } from '../sessions/end-sessions.ts';
import { auditSignIn, type OpenSession } from '../sessions/sessions.ts';
import { identitySettings } from '../settings.ts';
import { consumeAttempt, resetAttempts } from './attempts.ts';
import { recordFailure } from './log-in.ts';
import { composeLink, openByToken, sendToAddress } from './magic-link.ts';
import { holderOf, type TokenHolder, voidSecrets } from './one-time-secrets.ts';
import { SIGN_IN } from './sign-in-purpose.ts';

/** Has a link to choose a new password sent to an e-mail address; known and unknown addresses get the same answer for the same work. */
export function forgotPassword(ctx: Context, input: { email: string }): Promise<void> {
  return sendToAddress(ctx, 'reset_password', input.email);
}

/**
 * Sets a new password by the token of a link, ends every session of the person and opens one.
 * @throws Unauthenticated `invalid_credentials`: unknown, used or too old
 * @throws HaulgateError 400 on the field `password`; the token stays good
 */
export async function resetPassword(ctx: Context, input: { passwordResetToken: string; password: string }): Promise<OpenSession> {
  const passwordHash = await hashFor(ctx, 'reset_password', input.passwordResetToken, input.password);
  const session = await openByToken(ctx, 'reset_password', input.passwordResetToken, async (tx, holder) => {
    await keepPassword(tx, holder, passwordHash);
    await passwordChanged(tx, holder);
  });
  if (!session) throw new Unauthenticated('invalid_credentials');
  await resetAttempts(ctx, 'token');
  return session;
}

/** The hash of a password that a token's holder may have. @throws Unauthenticated, HaulgateError 400 */
export async function hashFor(ctx: Context, purpose: 'reset_password' | 'signup', token: string, password: string): Promise<string> {
  await consumeAttempt(ctx, 'token');
  const holder = await holderOf(ctx.em, purpose, token);
  if (!holder) {
    await recordFailure(ctx, undefined, purpose);
    throw new Unauthenticated('invalid_credentials');
  }
  const about = [holder.firstName, holder.lastName, holder.email, holder.phone, holder.companyName];
  const problems = await passwordProblems(password, about, identitySettings.of(ctx.em));
  // The contract knows no 422 here.
  if (problems.length > 0) throw new HaulgateError(400, 'bad_request', problems);
  return hashPassword(password);
}

/**
 * Stores a password, and spends every link and code that was sent before: otherwise an invitation that is in a mailbox for a week could set
 * another one. @returns whether there was a password already
 */
export async function keepPassword(tx: TxContext, holder: TokenHolder, passwordHash: string): Promise<boolean> {
  const id = newId();
  const [kept] = await queryIn<{ id: string }>(
    tx.em,
    `insert into credential (id, user_id, password_hash) values ($1, $2, $3)
     on conflict (user_id) do update set password_hash = excluded.password_hash, updated_at = now() returning id`,
    [id, holder.id, passwordHash],
  );
  await voidSecrets(tx, holder.id);
  return kept!.id !== id;
}

/** Signs a person whose password has changed out everywhere, and notifies them and the audit log. */
export async function passwordChanged(tx: TxContext, holder: TokenHolder): Promise<void> {
  await revokeSessions(tx, holder, 'password_reset');
  auditSignIn(tx, 'password_reset', holder, {});
  if (!holder.email) return;
  await sendLater(tx, {
    channel: 'mail',
    kind: 'password_changed',
    recipient: holder.email,
    language: tx.language,
    params: { name: holder.name, company: holder.companyName },
    worthSeconds: 86_400,
  });
}

export const resetLinkMails = composeLink('reset_password', 'reset-password', 'password_reset_token');
export const passwordChangedMails = composeWith('password_changed', SIGN_IN, async (_em, { language, params }) => ({
  subject: translate(language, 'email_password_changed_subject'),
  text: translate(language, 'email_password_changed', params as Record<string, string>),
}));
