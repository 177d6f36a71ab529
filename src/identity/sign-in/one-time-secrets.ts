import { createHash, randomBytes } from 'node:crypto';
import type { EntityManager } from '@mikro-orm/postgresql';
import { type Address, signsInBy } from '../../directory/people/proven-addresses.ts';
import type { TxContext } from '../../platform/commands/transact.ts';
import { definePurpose, runAsPurpose } from '../../platform/database/scope.ts';
import { poolOf, queryIn } from '../../platform/database/sql.ts';
import { newId } from '../../platform/ids.ts';
import type { Person } from '../sessions/person.ts';

/** The purpose of a secret that somebody gets by mail or telephone and can use once. */
export type Purpose = 'magic_link' | 'reset_password' | 'signup';

/** Spends and removes secrets of anybody: what a request does to somebody's links without reading one. */
export const SPENDING = definePurpose('spending', {
  one_time_secret: ['select (user_id, used_at, expires_at)', 'update (used_at)', 'delete'],
  app_user: ['select (id, company_id)'],
});

/** Seconds a secret is good. */
export const GOOD_FOR = { magic_link: 15 * 60, reset_password: 60 * 60, signup: 7 * 86_400, otp_sms: 10 * 60 } as const;

/** The columns of a Person, of `app_user u`. */
export const PERSON = `u.id, u.company_id as "companyId", trim(u.first_name || ' ' || u.last_name) as name`;
/**
 * The condition that a person may sign in by a method, for `app_user u join company c`: the company says which methods it allows. People
 * who were only named by a payload may not: otherwise somebody who may send orders could make logins for strangers.
 */
export const welcomeBy = (method: 'password' | 'magic_link' | 'otp_sms'): string =>
  `u.discarded_at is null and not u.unclaimed and c.discarded_at is null and '${method}' = any (c.auth_methods)`;
/** The condition that `app_user h` is the one active person of an address or number. */
export const holderBy = (condition: string): string =>
  `select h.id, h.company_id, h.first_name, h.last_name, h.email, h.phone, h.match_email, h.email_proven, h.phone_proven, h.unclaimed,
     h.last_login_at, h.discarded_at
   from app_user h join company o on o.id = h.company_id where ${condition} and h.discarded_at is null and o.discarded_at is null
   order by h.unclaimed, h.created_at, h.id limit 1`;
const METHOD_OF = { magic_link: 'magic_link', reset_password: 'password', signup: 'password' } as const;
export const welcomeFor = (purpose: Purpose): string => welcomeBy(METHOD_OF[purpose]);

/**
 * That a secret `s` went where its person `u` is reached today, and may sign in by: an address that was mistyped, is no longer theirs, or is
 * not proven opens nothing.
 */
const STILL_THEIRS = `(fold_text(s.sent_to) = u.match_email and ${signsInBy('u', 'email')} or s.sent_to = u.phone and ${signsInBy('u', 'phone')})`;

/**
 * A token for a link: 256 random bits, kept as a hash.
 * @param sentTo the e-mail address or telephone to which the link goes; the token is not valid once that has changed
 */
export async function makeToken(em: EntityManager, userId: string, purpose: Purpose, sentTo: string): Promise<string> {
  const token = randomBytes(32).toString('base64url');
  await (await poolOf(em)).query(
    `insert into one_time_secret (id, user_id, purpose, secret_hash, expires_at, sent_to)
     values ($1, $2, $3, $4, now() + $5 * interval '1 second', $6)`,
    [newId(), userId, purpose, hashToken(token), GOOD_FOR[purpose], sentTo],
  );
  return token;
}

/** The person to whom a token belongs, with details that a password should not contain. */
export interface TokenHolder extends Person {
  firstName: string;
  lastName: string;
  email: string | null;
  phone: string | null;
  companyName: string;
}

/** The holder of this token, without using it. */
export async function holderOf(em: EntityManager, purpose: Purpose, token: string): Promise<TokenHolder | undefined> {
  const { rows } = await (await poolOf(em)).query<TokenHolder>(
    `select ${PERSON}, u.first_name as "firstName", u.last_name as "lastName", u.email, u.phone, c.legal_name as "companyName"
     from one_time_secret s join app_user u on u.id = s.user_id join company c on c.id = u.company_id
     where s.secret_hash = $1 and s.purpose = $2 and s.used_at is null and s.expires_at > now() and ${STILL_THEIRS} and ${welcomeFor(purpose)}`,
    [hashToken(token), purpose],
  );
  return rows[0];
}

/**
 * Uses a token, and with it all other tokens of its holder for that purpose.
 * @returns what it was sent to, which it proves; of two concurrent calls one gets it
 */
export async function takeToken(tx: TxContext, purpose: Purpose, token: string): Promise<Address | undefined> {
  const [taken] = await queryIn<{ user_id: string; address: Address }>(
    tx.em,
    `update one_time_secret s set used_at = now() from app_user u join company c on c.id = u.company_id
     where s.secret_hash = $1 and s.purpose = $2 and s.used_at is null and s.expires_at > now() and u.id = s.user_id and ${STILL_THEIRS}
       and ${welcomeFor(purpose)}
     returning s.user_id, case when s.sent_to = u.phone then 'phone' else 'email' end as address`,
    [hashToken(token), purpose],
  );
  if (!taken) return undefined;
  await queryIn(tx.em, 'update one_time_secret set used_at = now() where user_id = $1 and purpose = $2 and used_at is null', [
    taken.user_id,
    purpose,
  ]);
  return taken.address;
}

/** Spends every link and code a person was sent, whatever for. */
export async function voidSecrets(tx: TxContext, userId: string): Promise<void> {
  await spend(tx, 'update one_time_secret set used_at = now() where user_id = $1 and used_at is null', userId);
}

/** The same for everybody of a company. */
export async function voidSecretsOf(tx: TxContext, companyId: string): Promise<void> {
  const sql = `update one_time_secret s set used_at = now() from app_user u where u.company_id = $1 and s.user_id = u.id and s.used_at is null`;
  await spend(tx, sql, companyId);
}

const spend = (tx: TxContext, sql: string, id: string) => runAsPurpose(SPENDING, () => queryIn(tx.em, sql, [id]));

/** Removes what can no longer be used. @returns how many */
export async function deleteExpiredSecrets(em: EntityManager): Promise<number> {
  const pool = await poolOf(em);
  const { rowCount } = await runAsPurpose(SPENDING, () =>
    pool.query(`delete from one_time_secret where expires_at < now() - interval '1 day'`),
  );
  return rowCount ?? 0;
}

function hashToken(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}
