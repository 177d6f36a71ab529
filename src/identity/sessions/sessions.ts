import { createHash, randomBytes } from 'node:crypto';
import type { EntityManager } from '@mikro-orm/postgresql';
import type { Address } from '../../directory/people/proven-addresses.ts';
import type { SignInEvent } from '../../platform/commands/audit-event.ts';
import { type TxContext, transact } from '../../platform/commands/transact.ts';
import type { Context, Viewer } from '../../platform/context.ts';
import { definePurpose, runAsPurpose } from '../../platform/database/scope.ts';
import { poolOf, queryIn } from '../../platform/database/sql.ts';
import { setTenant } from '../../platform/database/tenant.ts';
import { newId } from '../../platform/ids.ts';
import { identitySettings } from '../settings.ts';
import { holdFirstSignIn, noteSignIn } from '../sign-in/first-sign-in.ts';
import { notePerson } from '../sign-in/note-person.ts';
import { issueToken } from '../tokens/tokens.ts';
import type { Person } from './person.ts';
import type { SignInMethod } from './user-session.entity.ts';

/** Deletes sessions that ended, of all companies. */
export const ENDED = definePurpose('ended_sessions', { user_session: ['select (ends_at)', 'delete'] });

/** The answer to a client that signed in. The refresh token is shown once and kept only as a hash. */
export interface OpenSession {
  sessionId: string;
  sessionJwt: string;
  expiresAt: Date;
  refreshToken: string;
  refreshExpiresAt: Date;
}

/** Days after which a person proves anew who they are, however busy the session was (NIST SP 800-63B, section 4.1.3). */
const LONGEST_DAYS = 30;

/** The factors that somebody has shown in order to sign in. */
export interface Shown {
  /** Whether the password that was entered is the stored one, by its hash. */
  password?: (hash: string | undefined) => Promise<boolean>;
  /** Which of their addresses is theirs: a link or code was sent to it, or a provider vouched for it. */
  address?: Address;
}

/**
 * Locks a person who signs in, until the end of the transaction: a concurrent command that ends their sessions has ended before, or finds
 * the new one. By the time of the lock, what they have proved may no longer be valid.
 * @param proves whether the password they gave is the one that is kept now, by its hash
 * @returns whether they are still here, and their password is still that one
 */
export async function holdPerson(
  tx: TxContext,
  personId: string,
  proves?: (hash: string | undefined) => Promise<boolean>,
): Promise<boolean> {
  // The company before its people, as where managing it begins.
  await holdFirstSignIn(tx, personId);
  const here = await queryIn(
    tx.em,
    `select 1 from app_user u join company c on c.id = u.company_id
     where u.id = $1 and u.discarded_at is null and c.discarded_at is null for no key update of u`,
    [personId],
  );
  if (here.length === 0 || !proves) return here.length > 0;
  // A separate statement, which sees what was committed while the first one waited.
  const [kept] = await queryIn<{ hash: string }>(tx.em, 'select password_hash as hash from credential where user_id = $1', [personId]);
  return proves(kept?.hash);
}

/**
 * Opens a session for a person who has just proved who they are: people get into the API only through here. Session, time of the last login
 * and audit row are one transaction, the caller's when there is one.
 * @returns undefined when they left in the meantime, or chose another password
 */
export async function startSession(
  ctx: Context,
  person: Person,
  method: SignInMethod,
  shown: Shown = {},
): Promise<OpenSession | undefined> {
  const id = newId();
  const refresh = newRefreshToken();
  const refreshExpiresAt = await transact(ctx.tx ? ctx : asPerson(ctx, person), async (tx) => {
    if (!(await holdPerson(tx, person.id, shown.password))) return undefined;
    const [row] = await queryIn<{ expires_at: string | Date }>(
      tx.em,
      `insert into user_session (id, company_id, user_id, method, family_hash, refresh_hash, expires_at, ends_at, address, user_agent)
       values ($1, $2, $3, $4, $5, $6, now() + least($7 * interval '1 second', $8 * interval '1 day'), now() + $8 * interval '1 day', $9, $10)
       returning expires_at`,
      [
        id,
        person.companyId,
        person.id,
        method,
        refresh.familyHash,
        refresh.secretHash,
        identitySettings.of(tx.em).refreshSeconds,
        LONGEST_DAYS,
        ctx.client?.address ?? null,
        ctx.client?.agent ?? null,
      ],
    );
    await notePerson(tx, person, shown.address, method === 'sso');
    auditSignIn(tx, 'sign_in', person, { method, session_id: id });
    await noteSignIn(tx, person.companyId);
    return new Date(row!.expires_at);
  });
  if (!refreshExpiresAt) return undefined;
  const { token, expiresAt } = await issueToken(ctx.em, 'session', person.id, undefined, { sessionId: id });
  return { sessionId: id, sessionJwt: token, expiresAt, refreshToken: refresh.token, refreshExpiresAt };
}

/** The same request with the person as its author, although it named them by no token: the audit log shows their name. */
export function asPerson(ctx: Context, person: Person): Context {
  const viewer: Viewer = {
    type: 'User',
    id: person.id,
    name: person.name,
    companyId: person.companyId,
    companyIds: [person.companyId],
    receivesWork: false,
    roles: [],
    can: () => false,
  };
  const em = ctx.em.fork({ clear: true }) as EntityManager;
  setTenant(em, viewer);
  return { ...ctx, em, viewer };
}

/** An audit row about how somebody came in or went out, with the place it was done from. */
export function auditSignIn(tx: TxContext, event: SignInEvent, person: Omit<Person, 'name'>, details: Record<string, unknown>): void {
  const facts = { ...details, address: tx.client?.address ?? null };
  const changes = Object.fromEntries(Object.entries(facts).map(([name, value]): [string, [unknown, unknown]] => [name, [null, value]]));
  tx.tx.audits.push({ event, type: 'User', id: person.id, companyId: person.companyId, changes });
}

/** Removes sessions that ended a month ago; the audit log keeps what happened. @returns how many */
export async function deleteEndedSessions(em: EntityManager): Promise<number> {
  const pool = await poolOf(em);
  const { rowCount } = await runAsPurpose(ENDED, () => pool.query(`delete from user_session where ends_at < now() - interval '30 days'`));
  return rowCount ?? 0;
}

export interface RefreshToken {
  token: string;
  familyHash: string;
  secretHash: string;
}

/**
 * `<family>.<secret>`: the family stays and finds the session, the secret changes with every refresh. A right family with a wrong secret
 * is a token that was used before, by its owner or by a thief.
 */
export function newRefreshToken(family: string = randomBytes(24).toString('base64url')): RefreshToken {
  const secret = randomBytes(32).toString('base64url');
  return { token: `${family}.${secret}`, familyHash: sha256(family), secretHash: sha256(secret) };
}

/** The hashes of a token a client sent; undefined when it cannot be one of ours. */
export function readRefreshToken(token: string): (RefreshToken & { family: string }) | undefined {
  const match = /^([\w-]{32})\.([\w-]{43})$/.exec(token);
  if (!match) return undefined;
  const [, family = '', secret = ''] = match;
  return { token, family, familyHash: sha256(family), secretHash: sha256(secret) };
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
