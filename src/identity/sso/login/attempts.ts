import { createHash, randomBytes } from 'node:crypto';
import type { EntityManager } from '@mikro-orm/postgresql';
import type { TxContext } from '../../../platform/commands/transact.ts';
import { queryIn } from '../../../platform/database/sql.ts';
import type { Person } from '../../sessions/person.ts';

/** Seconds a person may take at their provider. */
const ATTEMPT_SECONDS = 600;
/** Seconds until a ticket must have been exchanged for a session; the page does it at once. */
const TICKET_SECONDS = 60;

/** A sign-in that has been sent to a provider. */
export interface Attempt {
  connectionId: string;
  /** The value that the answer must name: the nonce of an ID token, the request of an assertion. */
  nonce: string;
  /** PKCE (RFC 7636); SAML has none and leaves it unused. */
  codeVerifier: string;
  /** Where the browser goes afterwards. */
  returnUrl: string;
}

/** Keeps what an answer of the provider must fit, under a state that only this browser can come back with. @returns the state */
export async function beginAttempt(em: EntityManager, browser: string, attempt: Attempt): Promise<string> {
  const state = randomSecret();
  await forgetExpired(em);
  await em.getConnection().execute(
    `insert into sso_attempt (state_hash, connection_id, browser_hash, nonce, code_verifier, return_url, expires_at)
       values (?, ?, ?, ?, ?, ?, now() + make_interval(secs => ?))`,
    [hash(state), attempt.connectionId, hash(browser), attempt.nonce, attempt.codeVerifier, attempt.returnUrl, ATTEMPT_SECONDS],
    'run',
  );
  return state;
}

/** The attempt of a state, once: a caller who comes again with it, or from another browser, gets none. */
export async function takeAttempt(em: EntityManager, connectionId: string, state: string, browser: string): Promise<Attempt | undefined> {
  const [row] = await em.getConnection().execute<Record<string, string>[]>(
    `delete from sso_attempt where state_hash = ? and browser_hash = ? and connection_id = ? and expires_at > now()
       returning nonce, code_verifier, return_url`,
    [hash(state), hash(browser), connectionId],
  );
  return row && { connectionId, nonce: row.nonce!, codeVerifier: row.code_verifier!, returnUrl: row.return_url! };
}

/**
 * A ticket that opens one session of this person within a minute; only its hash is kept.
 * @param email that the provider vouched for
 */
export async function issueTicket(tx: TxContext, connectionId: string, userId: string, email: string): Promise<string> {
  const token = randomSecret();
  await queryIn(
    tx.em,
    `insert into sso_ticket (token_hash, connection_id, user_id, email, expires_at)
       values ($1, $2, $3, $4, now() + make_interval(secs => $5))`,
    [hash(token), connectionId, userId, email, TICKET_SECONDS],
  );
  return token;
}

/** The answer of a provider when a sign-in ended. */
export interface Ticket {
  connectionId: string;
  userId: string;
  email: string;
}

/** Returns the person whom a ticket names, without using it. */
export async function personOfTicket(em: EntityManager, token: string): Promise<Person | undefined> {
  const [person] = await em.getConnection().execute<Person[]>(
    `select u.id, u.company_id as "companyId", trim(u.first_name || ' ' || u.last_name) as name
       from sso_ticket t join app_user u on u.id = t.user_id join company c on c.id = u.company_id
       where t.token_hash = ? and t.expires_at > now() and u.discarded_at is null and c.discarded_at is null`,
    [hash(token)],
  );
  return person;
}

/** Uses a ticket: of two concurrent calls one gets it. */
export async function redeemTicket(tx: TxContext, token: string): Promise<Ticket | undefined> {
  const [ticket] = await queryIn<Ticket>(
    tx.em,
    `delete from sso_ticket where token_hash = $1 and expires_at > now()
       returning connection_id as "connectionId", user_id as "userId", email`,
    [hash(token)],
  );
  return ticket;
}

export const randomSecret = (): string => randomBytes(32).toString('base64url');

async function forgetExpired(em: EntityManager): Promise<void> {
  for (const table of ['sso_attempt', 'sso_ticket'])
    await em.getConnection().execute(`delete from ${table} where expires_at < now()`, [], 'run');
}

const hash = (secret: string) => createHash('sha256').update(secret).digest('base64url');
