import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { EntityManager } from '@mikro-orm/postgresql';
import { seal, unseal } from '../../identity/tokens/sealing.ts';
import type { TxContext } from '../../platform/commands/transact.ts';
import { definePurpose, reserveForPurposes, runAsPurpose } from '../../platform/database/scope.ts';
import { queryIn, queryOf } from '../../platform/database/sql.ts';
import type { Credentials } from '../../platform/http/remote.ts';

/** Stores and reads the credentials of fleets, apart from the fleets, which everybody reads who manages them. */
export const TELEMATICS_SECRETS = definePurpose('telematics_secrets', {
  telematics_secret: ['select (fleet_id, sealed, push_hash)', 'insert', 'update'],
});
export const telematicsSecretReserved = reserveForPurposes('telematics_secret');

/** Keeps the credentials of a fleet, sealed. */
export async function keepCredentials(tx: TxContext, fleetId: string, credentials: Credentials): Promise<void> {
  const sealed = await seal(tx.em, JSON.stringify(credentials), fleetId);
  await keep(tx, fleetId, 'sealed', sealed);
}

/** The credentials of a fleet; empty where the provider only sends. @throws Error when their key is no longer configured */
export async function credentialsOf(at: Asking, fleetId: string): Promise<Credentials> {
  const row = await read(at, fleetId);
  return row?.sealed ? (JSON.parse(await unseal(at.em, row.sealed, fleetId)) as Credentials) : {};
}

/** Makes the password with which the provider sends positions of a fleet; only its hash is kept. @returns the password */
export async function renewPushPassword(tx: TxContext, fleetId: string): Promise<string> {
  const password = randomBytes(24).toString('base64url');
  await keep(tx, fleetId, 'push_hash', hashOf(password).toString('hex'));
  return password;
}

/** Whether this is the password with which the provider sends positions of a fleet. */
export async function isPushPassword(at: Asking, fleetId: string, password: string): Promise<boolean> {
  const hash = (await read(at, fleetId))?.push_hash;
  return hash !== undefined && hash !== null && timingSafeEqual(hashOf(password), Buffer.from(hash, 'hex'));
}

// 192 random bits: a plain hash shows nobody the password.
const hashOf = (password: string): Buffer => createHash('sha256').update(password).digest();

const keep = (tx: TxContext, fleetId: string, column: 'sealed' | 'push_hash', value: string) =>
  runAsPurpose(TELEMATICS_SECRETS, () =>
    queryIn(
      tx.em,
      `insert into telematics_secret (fleet_id, ${column}) values ($1, $2) on conflict (fleet_id) do update set ${column} = excluded.${column}`,
      [fleetId, value],
    ),
  );

async function read(at: Asking, fleetId: string): Promise<Secret | undefined> {
  const sql = 'select sealed, push_hash from telematics_secret where fleet_id = $1';
  const [row] = await runAsPurpose(TELEMATICS_SECRETS, () => queryOf<Secret>(at, sql, [fleetId]));
  return row;
}

/** A command or a worker; a command asks on the connection of its transaction. */
interface Asking {
  em: EntityManager;
  tx?: unknown;
}

interface Secret {
  sealed: string | null;
  push_hash: string | null;
}
