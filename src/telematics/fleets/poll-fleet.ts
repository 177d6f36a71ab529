import type { EntityManager } from '@mikro-orm/postgresql';
import { asSystem } from '../../platform/commands/system-context.ts';
import type { TxContext } from '../../platform/commands/transact.ts';
import { queryIn } from '../../platform/database/sql.ts';
import type { Lease } from '../../platform/queue/lease-queue.ts';
import { connectionTo } from './check-fleet.ts';
import { credentialsOf } from './fleet-secrets.ts';
import type { FleetCall, FleetConnection, FleetPage } from './providers/provider.ts';
import { PROVIDERS } from './providers/providers.ts';
import { callFor, sessionOf } from './settings.ts';
import { storePage } from './store-page.ts';
import type { TelematicsFleet } from './telematics-fleet.entity.ts';

/** A fleet as the worker has claimed it. */
export interface PolledFleet
  extends Pick<TelematicsFleet, 'id' | 'companyId' | 'provider' | 'server' | 'account' | 'mapping' | 'pollSeconds' | 'revision'> {
  cursor: string | null;
  /** As the driver of the database reads it. */
  vehiclesListedAt: Date | string | null;
}

interface Log {
  warn(fields: object, message: string): void;
}

/** Pages of one turn, after which other fleets have theirs. */
const MOST_PAGES = 50;
/** Milliseconds after which the vehicles are listed again, with plates and VINs. */
const LIST_EVERY = 86_400_000;

/** The lease of a fleet could not be renewed, which says nothing of its provider. */
export class LeaseFailure extends Error {
  constructor(options: ErrorOptions) {
    super('the lease of a fleet was not renewed', options);
    this.name = 'LeaseFailure';
  }
}

/**
 * Reads what a provider has since the last poll. Each page is stored in one transaction with the cursor behind it, so that a crash loses nothing
 * and repeats at most a page, whose positions are known then.
 * @returns whether the provider has more
 * @throws LeaseFailure; ProviderError and what the network throws, for the provider
 */
export async function pollFleet(em: EntityManager, fleet: PolledFleet, lease: Lease, log: Log): Promise<boolean> {
  const connection = connectionTo(fleet, await credentialsOf({ em }, fleet.id));
  const plain = callFor(em, sessionOf(em, fleet), lease.signal);
  let ours: unknown;
  // A page, or the list of vehicles, may take many requests.
  const fetch: FleetCall['fetch'] = async (...request) => {
    try {
      await lease.renew();
    } catch (error) {
      ours = error;
      throw error;
    }
    return plain.fetch(...request);
  };
  try {
    return await readPages(em, fleet, connection, { ...plain, fetch }, { lease, log });
  } catch (error) {
    throw ours === undefined ? error : new LeaseFailure({ cause: ours });
  }
}

async function readPages(
  em: EntityManager,
  fleet: PolledFleet,
  connection: FleetConnection,
  call: FleetCall,
  { lease, log }: { lease: Lease; log: Log },
): Promise<boolean> {
  await listVehicles(em, fleet, connection, call, { lease, log });
  let { cursor } = fleet;
  for (let pages = 0; pages < MOST_PAGES; pages++) {
    const page = await PROVIDERS[fleet.provider].read(connection, cursor, call);
    if (page.unusable > 0) log.warn({ fleet: fleet.id, unusable: page.unusable }, 'a provider of telematics sent positions that cannot be');
    if (!(await storePolled(em, fleet, cursor, page))) return false;
    if (!page.more) return false;
    cursor = page.cursor;
  }
  return true;
}

/** Lists the vehicles once a day, where positions come without plates. A provider that does not let us list them still has positions. */
async function listVehicles(
  em: EntityManager,
  fleet: PolledFleet,
  connection: FleetConnection,
  call: FleetCall,
  { lease, log }: { lease: Lease; log: Log },
): Promise<void> {
  const { vehicles: list } = PROVIDERS[fleet.provider];
  if (!list || (fleet.vehiclesListedAt && new Date(fleet.vehiclesListedAt).getTime() > Date.now() - LIST_EVERY)) return;
  const vehicles = await list(connection, call).catch((error: unknown) => {
    // The process stops: the next one lists them.
    if (lease.signal.aborted) throw error;
    log.warn({ err: error, fleet: fleet.id }, 'a provider of telematics does not list its vehicles');
    return [];
  });
  await asSystem(em, fleet.companyId, async (tx) => {
    if (!(await isUnchanged(tx, fleet))) return;
    await storePage(tx, fleet, { vehicles, positions: [] });
    await queryIn(tx.em, 'update telematics_fleet set vehicles_listed_at = now() where id = $1', [fleet.id]);
  });
}

/** @returns false when the fleet was changed, paused or removed meanwhile, or another process has stored this page */
const storePolled = (em: EntityManager, fleet: PolledFleet, from: string | null, page: FleetPage): Promise<boolean> =>
  asSystem(em, fleet.companyId, async (tx) => {
    if (!(await isUnchanged(tx, fleet, from))) return false;
    await storePage(tx, fleet, page);
    await queryIn(tx.em, `update telematics_fleet set cursor = $2, ${WORKS} where id = $1`, [fleet.id, page.cursor]);
    return true;
  });

/** The columns that are set when a provider could be read, or has sent something. */
const WORKS = `updated_at = case when state = 'connected' then updated_at else now() end, last_polled_at = now(), state = 'connected', last_error = null, failing_since = null, notified_at = null`;

/** Stores what a provider has sent. @returns false when the fleet was paused or removed meanwhile */
export const storePushed = (em: EntityManager, fleet: { id: string; companyId: string }, page: FleetPage): Promise<boolean> =>
  asSystem(em, fleet.companyId, async (tx) => {
    const [row] = await queryIn(tx.em, `select id from telematics_fleet where id = $1 and state <> 'paused' for no key update`, [fleet.id]);
    if (!row) return false;
    await storePage(tx, fleet, page);
    // A fleet that is read as well stays failing until it can be read.
    await queryIn(tx.em, `update telematics_fleet set last_polled_at = now() where id = $1`, [fleet.id]);
    return true;
  });

/** Locks the fleet, if nobody changed or paused it since it was claimed. @param from the cursor, unless it does not matter */
async function isUnchanged(tx: TxContext, { id, revision }: PolledFleet, ...from: (string | null)[]): Promise<boolean> {
  const [row] = await queryIn<{ cursor: string | null }>(
    tx.em,
    `select cursor from telematics_fleet where id = $1 and revision = $2 and state <> 'paused' for no key update`,
    [id, revision],
  );
  return row !== undefined && (from.length === 0 || row.cursor === from[0]);
}
