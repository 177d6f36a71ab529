import type { EntityManager } from '@mikro-orm/postgresql';
import { signsInBy } from '../../directory/people/proven-addresses.ts';
import type { TxContext } from '../../platform/commands/transact.ts';
import type { Context } from '../../platform/context.ts';
import { poolOf } from '../../platform/database/sql.ts';
import { Unauthenticated } from '../../platform/errors.ts';
import { translate } from '../../platform/i18n/messages.ts';
import { composeWith, sendLater } from '../../platform/outgoing/outgoing.ts';
import type { OpenSession } from '../sessions/sessions.ts';
import { identitySettings, pagesUrlOf } from '../settings.ts';
import { resetAttempts } from './attempts.ts';
import { linkTo, openByToken } from './magic-link.ts';
import { GOOD_FOR, makeToken, PERSON } from './one-time-secrets.ts';
import { hashFor, keepPassword, passwordChanged } from './reset-password.ts';
import { SIGN_IN } from './sign-in-purpose.ts';

/**
 * Invites a person who has an account to choose a password, in the running transaction; if their company allows no passwords, to sign in by
 * its methods. Asked again, another link is sent; the first stays valid until one is used.
 * @param to their e-mail address, or their number in E.164 for a text message
 */
export function inviteLater(tx: TxContext, userId: string, channel: 'mail' | 'sms', to: string): Promise<void> {
  return sendLater(tx, {
    channel,
    kind: 'signup',
    recipient: to,
    language: tx.language,
    params: { userId },
    worthSeconds: GOOD_FOR.signup,
  });
}

/**
 * Chooses the first password by the token of an invitation and opens a session. For a person who has a password already it is a new one,
 * with the same consequences: a repeated invitation must not be a quieter way to it than a forgotten password.
 * @throws Unauthenticated `invalid_credentials`: unknown, used or too old
 * @throws HaulgateError 400 on the field `password`; the token stays valid
 */
export async function signUp(ctx: Context, input: { magicLinksToken: string; password: string }): Promise<OpenSession> {
  const passwordHash = await hashFor(ctx, 'signup', input.magicLinksToken, input.password);
  const session = await openByToken(ctx, 'signup', input.magicLinksToken, async (tx, holder) => {
    if (await keepPassword(tx, holder, passwordHash)) await passwordChanged(tx, holder);
  });
  if (!session) throw new Unauthenticated('invalid_credentials');
  await resetAttempts(ctx, 'token');
  return session;
}

export const signUpMails = composeWith('signup', SIGN_IN, async (em, { channel, recipient, language, params }) => {
  const [kept, isKept] =
    channel === 'sms'
      ? ['u.phone', `u.phone = $2 and ${signsInBy('u', 'phone')}`]
      : ['u.email', `u.match_email = fold_text($2) and ${signsInBy('u', 'email')}`];
  const { rows } = await (await poolOf(em)).query<{ id: string; name: string; to: string; company: string; methods: string[] }>(
    `select ${PERSON}, ${kept} as "to", c.legal_name as company, c.auth_methods::text[] as methods 
     from app_user u join company c on c.id = u.company_id
     where u.id = $1 and ${isKept} and u.discarded_at is null and not u.unclaimed and c.discarded_at is null`,
    [params.userId, recipient],
  );
  const person = rows[0];
  if (!person) return undefined;
  const withPassword = person.methods.includes('password');
  const link = withPassword
    ? linkTo(em, 'sign-up', 'magic_links_token', await makeToken(em, person.id, 'signup', person.to))
    : pageFor(em, person.methods);
  const words = { name: person.name, company: person.company, link, days: GOOD_FOR.signup / 86_400 };
  const kind = withPassword ? 'signup' : 'welcome';
  const { to } = person;
  if (channel === 'sms') return { to, text: translate(language, `text_${kind}`, words) };
  return { to, subject: translate(language, 'email_signup_subject', words), text: translate(language, `email_${kind}`, words) };
});

/** The page where people of a company without passwords sign in: the console's first page knows providers, the other one sends links. */
function pageFor(em: EntityManager, methods: readonly string[]): string {
  const pages = pagesUrlOf(em);
  return identitySettings.of(em).appUrl || methods.includes('magic_link') ? `${pages}/sign-in` : pages;
}
