import type { EntityManager } from '@mikro-orm/postgresql';
import { signsInBy } from '../../directory/people/proven-addresses.ts';
import { type TxContext, transact } from '../../platform/commands/transact.ts';
import type { Context } from '../../platform/context.ts';
import { poolOf } from '../../platform/database/sql.ts';
import { foldEmail } from '../../platform/email.ts';
import { Unauthenticated } from '../../platform/errors.ts';
import { translate } from '../../platform/i18n/messages.ts';
import { composeWith, sendLater } from '../../platform/outgoing/outgoing.ts';
import type { Registration } from '../../platform/registration.ts';
import type { Person } from '../sessions/person.ts';
import { asPerson, holdPerson, type OpenSession, startSession } from '../sessions/sessions.ts';
import { pagesUrlOf } from '../settings.ts';
import { consumeAttempt, resetAttempts } from './attempts.ts';
import { recordFailure } from './log-in.ts';
import {
  GOOD_FOR,
  holderBy,
  holderOf,
  makeToken,
  PERSON,
  type Purpose,
  type TokenHolder,
  takeToken,
  welcomeFor,
} from './one-time-secrets.ts';
import { SIGN_IN } from './sign-in-purpose.ts';

/**
 * Has a link to sign in sent to an e-mail address. Whether somebody has that address is looked up only when the mail is sent, so that known
 * and unknown addresses get the same answer for the same work.
 */
export function requestMagicLink(ctx: Context, input: { email: string }): Promise<void> {
  return sendToAddress(ctx, 'magic_link', input.email);
}

/** A session for the token of a link. @throws Unauthenticated `invalid_credentials`: unknown, used or too old */
export async function logInByMagicLink(ctx: Context, input: { magicLinksToken: string }): Promise<OpenSession> {
  await consumeAttempt(ctx, 'token');
  const session = await openByToken(ctx, 'magic_link', input.magicLinksToken);
  if (session) {
    await resetAttempts(ctx, 'token');
    return session;
  }
  await recordFailure(ctx, undefined, 'magic_link');
  throw new Unauthenticated('invalid_credentials');
}

/**
 * A session for a token, which is used by that; undefined when it opens nothing. `also` is done in the same transaction, before the
 * session starts.
 */
export async function openByToken(
  ctx: Context,
  purpose: Purpose,
  token: string,
  also?: (tx: TxContext, holder: TokenHolder) => Promise<void>,
): Promise<OpenSession | undefined> {
  const holder = await holderOf(ctx.em, purpose, token);
  if (!holder) return undefined;
  return transact(asPerson(ctx, holder), async (tx) => {
    // The person before the secret, as in acts that end both.
    const address = (await holdPerson(tx, holder.id)) && (await takeToken(tx, purpose, token));
    if (!address) return undefined;
    await also?.(tx, holder);
    return startSession(tx, holder, purpose, { address });
  });
}

/** Leaves a mail for the person who has this address, if there is one. */
export async function sendToAddress(ctx: Context, purpose: 'magic_link' | 'reset_password', email: string): Promise<void> {
  await consumeAttempt(ctx, 'request', email);
  const asked = foldEmail(email);
  await transact({ ...ctx, viewer: undefined }, (tx) =>
    sendLater(tx, {
      channel: 'mail',
      kind: purpose,
      // The text that somebody typed is not an address to send to.
      recipient: '',
      language: ctx.language,
      // All or nothing: a part of it could be somebody's address, and was not counted as theirs.
      params: { asked: asked.length > LONGEST_ADDRESS ? '' : asked },
      worthSeconds: GOOD_FOR[purpose],
    }),
  );
}

/** The address of a link. The token is behind the #, so that no server on the way logs it. */
export function linkTo(em: EntityManager, page: 'sign-in' | 'reset-password' | 'sign-up', name: string, token: string): string {
  return `${pagesUrlOf(em)}/${page}#${name}=${token}`;
}

/**
 * Twice what RFC 5321 allows (64 octets, an at sign, 255 octets), because the fold may take letters apart; a longer address belongs to
 * nobody.
 */
const LONGEST_ADDRESS = 640;

/**
 * The person of a folded address, if they may sign in in this way: somebody whom a person entered before somebody whom a payload named,
 * then the older record. If the permission were checked first, a company could get the mails of another company's people by naming them in
 * a payload.
 */
async function personAt(em: EntityManager, purpose: Purpose, asked: string): Promise<(Person & { email: string }) | undefined> {
  const { rows } = await (await poolOf(em)).query<Person & { email: string }>(
    `select ${PERSON}, u.email from (${holderBy('h.match_email = $1')}) u join company c on c.id = u.company_id
     where ${welcomeFor(purpose)} and ${signsInBy('u', 'email')}`,
    [asked],
  );
  return rows[0];
}

/** Composes a mail with a link that is good once. */
export function composeLink(purpose: 'magic_link' | 'reset_password', page: 'sign-in' | 'reset-password', parameter: string): Registration {
  return composeWith(purpose, SIGN_IN, async (em, { language, params }) => {
    const person = await personAt(em, purpose, String(params.asked ?? ''));
    if (!person) return undefined;
    const link = linkTo(em, page, parameter, await makeToken(em, person.id, purpose, person.email));
    return {
      to: person.email,
      subject: translate(language, `email_${purpose}_subject`),
      text: translate(language, `email_${purpose}`, { name: person.name, link, minutes: GOOD_FOR[purpose] / 60 }),
    };
  });
}

export const magicLinkMails = composeLink('magic_link', 'sign-in', 'magic_links_token');
