import type { Account } from '../../directory/accounts/account.entity.ts';
import { beforeCommit, requireTransaction, type TxContext } from '../../platform/commands/transact.ts';
import type { Transaction } from '../../platform/context.ts';
import { namedStatement } from '../../platform/database/named-statements.ts';
import type { Query } from '../../platform/database/sql.ts';
import { queryIn } from '../../platform/database/sql.ts';
import { type ErrorItem, Invalid } from '../../platform/errors.ts';
import { trucksOfDay } from './subcontract.ts';

/** A day of a company on which a vendor gets trucks. */
export interface VendorDay {
  vendorId: string;
  start: Date;
  end: Date;
}

/**
 * Counts the trucks that vendors have on days, in the order of `days`, under a lock: until the transaction ends, nobody else who counts so
 * can add one. Without the lock, two transactions that do not see each other's trucks would both take the last one. The lock is the last
 * one that a transaction takes, after orders, jobs and numbers; those of several vendors are taken in the order of their ids. So nobody who
 * holds it waits for somebody who wants it.
 */
export async function countAlone(query: Query, days: readonly VendorDay[]): Promise<number[]> {
  if (days.length === 0) return [];
  await query(LOCK, [[...new Set(days.map(({ vendorId }) => vendorId))].sort()]);
  return countTrucks(query, days);
}

/** Counts the trucks that vendors have on days, in the order of `days`, as this transaction sees them. */
export async function countTrucks(query: Query, days: readonly VendorDay[]): Promise<number[]> {
  if (days.length === 0) return [];
  const rows = await query<{ count: number }>(COUNT, [
    days.map(({ vendorId }) => vendorId),
    days.map(({ start }) => start.toISOString()),
    days.map(({ end }) => end.toISOString()),
  ]);
  return rows.map(({ count }) => count);
}

/** The fields of a vendor that limit its trucks; 0 means no limit. */
type Limited = Pick<Account, 'id' | 'truckCount'>;

/** A day on which a transaction assigns trucks, and the error if they are too many. */
interface Given {
  vendor: Limited;
  day: VendorDay;
  item: ErrorItem;
}
/** By vendor and day, for each running transaction. */
const given = new WeakMap<Transaction, Map<string, Given>>();

/**
 * Counts a vendor's trucks again, under a lock, after the transaction has written all of its own. The count before the commit reports too
 * many trucks together with all other errors; this one holds when two transactions assign at the same time. Vendors without a limit are
 * skipped.
 * @param item the error if they are too many
 */
export function guardTrucks(tx: TxContext, vendor: Limited, days: readonly { start: Date; end: Date }[], item: ErrorItem): void {
  if (vendor.truckCount === 0) return;
  const transaction = requireTransaction(tx);
  let all = given.get(transaction);
  if (!all) {
    const asked = new Map<string, Given>();
    given.set(transaction, asked);
    beforeCommit(tx, () => refuseTooMany(tx, [...asked.values()]));
    all = asked;
  }
  for (const { start, end } of days)
    all.set(`${vendor.id} ${start.toISOString()}`, { vendor, day: { vendorId: vendor.id, start, end }, item });
}

async function refuseTooMany(tx: TxContext, all: readonly Given[]): Promise<void> {
  const counts = await countAlone(
    (sql, parameters) => queryIn(tx.em, sql, parameters),
    all.map(({ day }) => day),
  );
  const items = all.flatMap(({ vendor, item }, at) => (counts[at]! > vendor.truckCount ? [item] : []));
  if (items.length > 0) throw new Invalid([...new Set(items)]);
}

const LOCK = `select pg_advisory_xact_lock(hashtextextended('haulgate:trucks:' || id, 0)) from unnest($1::text[]) id`;
const COUNT = namedStatement(`select ${trucksOfDay('d.vendor', 'd.start', 'd.until')} as count
  from unnest($1::uuid[], $2::timestamptz[], $3::timestamptz[]) with ordinality d(vendor, start, until, place) order by d.place`);
