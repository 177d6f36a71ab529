import type { EntityManager } from '@mikro-orm/postgresql';
import { asSystem } from '../../platform/commands/system-context.ts';
import type { TxContext } from '../../platform/commands/transact.ts';
import { queryIn } from '../../platform/database/sql.ts';
import { asProviderError, ProviderError } from '../../platform/http/remote.ts';
import { newId } from '../../platform/ids.ts';
import type { Lease } from '../../platform/queue/lease-queue.ts';
import { connectionOf } from './accounting-secrets.ts';
import { retryExports } from './exports/retry-exports.ts';
import { matchRecords } from './match-records.ts';
import { callFor } from './settings.ts';
import {
  type AccountingConnection,
  type AccountingSource,
  LIST_KINDS,
  type ListKind,
  type SourcePage,
  type SourceRecord,
} from './sources/accounting-source.ts';
import { type AccountingSystem, SYSTEMS } from './sources/systems.ts';

/** A linked account as the worker has claimed it. */
export interface ImportedAccount {
  id: string;
  companyId: string;
  system: AccountingSystem;
  revision: number;
}

/** Records of one list: a system that has more repeats itself. */
const MOST_RECORDS = 100_000;
const TABLES: Record<ListKind, string> = {
  customers: 'linked_customer',
  vendors: 'linked_vendor',
  items: 'linked_item',
  ledger_accounts: 'linked_ledger_account',
};

/**
 * Reads all lists of a system. Each page is stored in one transaction; mappings stay as they are. After the last list, what is no longer in
 * the system is archived, and what nobody mapped is mapped. An import that is killed begins again, and changes nothing that it had stored.
 */
export async function importLists(em: EntityManager, account: ImportedAccount, lease: Lease): Promise<void> {
  const connection = await connectionOf({ em }, account.id);
  if (!connection) return;
  const found = {} as Record<ListKind, Set<string>>;
  for (const kind of LIST_KINDS) {
    const keys = await importList(em, account, connection, kind, lease);
    if (!keys) return;
    found[kind] = keys;
  }
  await asSystem(em, account.companyId, async (tx) => {
    if (!(await isUnchanged(tx, account))) return;
    for (const kind of LIST_KINDS) await queryIn(tx.em, archive(TABLES[kind]), [account.id, [...found[kind]]]);
    await matchRecords((sql, values) => queryIn(tx.em, sql, values), account.id, account.companyId);
    await queryIn(tx.em, DONE, [account.id]);
    await retryExports(tx, account);
  });
}

/** Reads one list. @returns the keys of its records; undefined when the account was changed meanwhile */
async function importList(
  em: EntityManager,
  account: ImportedAccount,
  connection: AccountingConnection,
  kind: ListKind,
  lease: Lease,
): Promise<Set<string> | undefined> {
  const keys = new Set<string>();
  const cursors = new Set<string>();
  const call = callFor(em, lease.signal);
  let cursor: string | null = null;
  do {
    await lease.renew();
    const page = await readPage(account.system, connection, kind, cursor, call);
    // Of a record that a page has twice, the later one counts.
    const records = new Map(page.records.map((one) => [one.key, one]));
    const stored = await asSystem(em, account.companyId, async (tx) => {
      if (!(await isUnchanged(tx, account))) return false;
      await storeRecords(tx, account, kind, [...records.values()]);
      return true;
    });
    if (!stored) return undefined;
    for (const key of records.keys()) keys.add(key);
    cursor = page.next;
    if (cursor !== null && (cursors.has(cursor) || keys.size > MOST_RECORDS))
      throw new ProviderError(`the provider does not come to an end of ${kind}`);
    if (cursor !== null) cursors.add(cursor);
  } while (cursor !== null);
  return keys;
}

/** Reads a page. @throws ProviderError whatever was wrong there, so that what else goes wrong is not blamed on the system */
function readPage(system: AccountingSystem, ...of: Parameters<AccountingSource['read']>): Promise<SourcePage> {
  return SYSTEMS[system].read(...of).catch((error: unknown) => {
    throw asProviderError(error);
  });
}

const storeRecords = (tx: TxContext, { id, companyId }: ImportedAccount, kind: ListKind, records: readonly SourceRecord[]) =>
  queryIn(
    tx.em,
    `insert into ${TABLES[kind]} as l (id, company_id, linked_account_id, external_key, external_id, data)
     select r.id, $1, $2, r.key, r.external_id, r.data::jsonb
     from unnest($3::uuid[], $4::text[], $5::text[], $6::text[]) as r (id, key, external_id, data) order by r.key
     on conflict (linked_account_id, external_key) do update set data = excluded.data, external_id = excluded.external_id, updated_at = now()
     where (l.data, l.external_id) is distinct from (excluded.data, excluded.external_id)`,
    [
      ...[companyId, id, records.map(() => newId()), records.map(({ key }) => key)],
      ...[records.map(({ externalId }) => externalId), records.map(({ data }) => JSON.stringify(data))],
    ],
  );

const archive = (table: string): string =>
  `update ${table} l set data = jsonb_set(l.data, '{status}', '"Archived"'), updated_at = now()
   where l.linked_account_id = $1 and l.data->>'status' <> 'Archived' and not exists (select from unnest($2::text[]) k (key) where k.key = l.external_key)`;

const DONE = `update linked_account set status = 'linked', synchronized_at = now(), updated_at = now(), last_error = null, next_import_at = null,
  attempts = 0 where id = $1`;

/** Locks the account, if nobody changed or unlinked it since it was claimed. */
async function isUnchanged(tx: TxContext, { id, revision }: ImportedAccount): Promise<boolean> {
  const sql = `select id from linked_account where id = $1 and revision = $2 and status <> 'unlinked' for no key update`;
  return (await queryIn(tx.em, sql, [id, revision])).length > 0;
}
