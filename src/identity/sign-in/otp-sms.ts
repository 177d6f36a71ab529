import { randomInt } from 'node:crypto';
import { signsInBy } from '../../directory/people/proven-addresses.ts';
import { transact } from '../../platform/commands/transact.ts';
import type { Context } from '../../platform/context.ts';
import { poolOf, queryIn } from '../../platform/database/sql.ts';
import { Unauthenticated } from '../../platform/errors.ts';
import { translate } from '../../platform/i18n/messages.ts';
import { isUuid, newId } from '../../platform/ids.ts';
import { composeWith, sendLater } from '../../platform/outgoing/outgoing.ts';
import { normalizePhone } from '../../platform/phone.ts';
import { hashPassword, verifyPassword } from '../passwords/passwords.ts';
import type { Person } from '../sessions/person.ts';
import { asPerson, holdPerson, type OpenSession, startSession } from '../sessions/sessions.ts';
import { consumeAttempt, consumeCodeAttempt, refundCodeAttempt, refuseLocked, resetAttempts } from './attempts.ts';
import { recordFailure } from './log-in.ts';
import { GOOD_FOR, holderBy, PERSON, welcomeBy } from './one-time-secrets.ts';
import { SIGN_IN } from './sign-in-purpose.ts';

/**
 * Has a code sent to a telephone. Whether somebody has that number is looked up only when the message is sent: known and unknown numbers
 * both get an id. @returns the id to sign in with, together with the code
 */
export async function requestOtp(ctx: Context, input: { phone: string }): Promise<string> {
  const number = normalizePhone(input.phone) ?? '';
  await consumeAttempt(ctx, 'request', number || input.phone);
  await refuseLocked(ctx, number);
  const id = newId();
  await transact({ ...ctx, viewer: undefined }, async (tx) => {
    // The number also where nobody has it: wrong codes are counted for it alike.
    await queryIn(
      tx.em,
      `insert into one_time_secret (id, purpose, expires_at, sent_to) values ($1, 'otp_sms', now() + $2 * interval '1 second', $3)`,
      [id, GOOD_FOR.otp_sms, number],
    );
    await sendLater(tx, {
      channel: 'sms',
      kind: 'otp_sms',
      recipient: '',
      language: ctx.language,
      params: { secretId: id, asked: number },
      worthSeconds: GOOD_FOR.otp_sms,
    });
  });
  return id;
}

// Counted before the code is compared, so that guesses made at once are all counted.
const TRY = `update one_time_secret s set attempts_left = attempts_left - 1
  where id = $1 and purpose = 'otp_sms' and attempts_left > 0 and used_at is null and expires_at > now()
  returning secret_hash as "hash", user_id as "userId", sent_to as "sentTo"`;
const WELCOME = `${welcomeBy('otp_sms')} and ${signsInBy('u', 'phone')}`;
const HOLDER = `select ${PERSON} from app_user u join company c on c.id = u.company_id where u.id = $1 and u.phone = $2 and ${WELCOME}`;
// Once the person is locked, their number and what it may do are what they were here.
const TAKE = `update one_time_secret s set used_at = now() from app_user u join company c on c.id = u.company_id
  where s.id = $1 and s.used_at is null and u.id = s.user_id and u.phone = s.sent_to and ${WELCOME} returning s.id`;

/** A session for a code; five tries. @throws Unauthenticated `invalid_credentials`, TooMany */
export async function logInByOtp(ctx: Context, input: { phoneId: string; code: string }): Promise<OpenSession> {
  await consumeAttempt(ctx, 'code', input.phoneId);
  const pool = await poolOf(ctx.em);
  const tried = isUuid(input.phoneId)
    ? (await pool.query<{ hash: string | null; userId: string | null; sentTo: string | null }>(TRY, [input.phoneId])).rows[0]
    : undefined;
  const number = tried?.sentTo ?? input.phoneId;
  await consumeCodeAttempt(ctx, number);
  const fits = await verifyPassword(input.code.trim(), tried?.hash ?? undefined);
  const { rows } = await pool.query<Person>(HOLDER, [tried?.userId ?? null, tried?.sentTo ?? null]);
  const person = rows[0];
  if (fits && person) {
    const session = await transact(asPerson(ctx, person), async (tx) => {
      if (!(await holdPerson(tx, person.id))) return undefined;
      const taken = await queryIn(tx.em, TAKE, [input.phoneId]);
      return taken.length === 0 ? undefined : startSession(tx, person, 'otp_sms', { address: 'phone' });
    });
    if (session) {
      await resetAttempts(ctx, 'code', input.phoneId);
      await refundCodeAttempt(ctx, number);
      return session;
    }
  }
  await recordFailure(ctx, person, 'otp_sms');
  throw new Unauthenticated('invalid_credentials');
}

export const codeTexts = composeWith('otp_sms', SIGN_IN, async (em, { language, params }) => {
  const pool = await poolOf(em);
  const { rows } = await pool.query<{ id: string; phone: string }>(
    `select u.id, u.phone from (${holderBy('h.phone = $1')}) u join company c on c.id = u.company_id where ${WELCOME}`,
    [params.asked],
  );
  if (!rows[0]) return undefined;
  const code = String(randomInt(1_000_000)).padStart(6, '0');
  // As slow to guess as a password, should the table be read by others; a second try at sending makes the first code void.
  const { rowCount } = await pool.query(
    'update one_time_secret set user_id = $2, secret_hash = $3, sent_to = $4 where id = $1 and used_at is null and expires_at > now()',
    [params.secretId, rows[0].id, await hashPassword(code), rows[0].phone],
  );
  if (!rowCount) return undefined;
  return { to: rows[0].phone, text: translate(language, 'text_otp', { code, minutes: GOOD_FOR.otp_sms / 60 }) };
});
