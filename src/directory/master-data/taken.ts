import type { TxContext } from '../../platform/commands/transact.ts';
import { queryIn } from '../../platform/database/sql.ts';
import type { ErrorCollector } from '../../platform/errors.ts';
import { foldText } from '../../platform/fold.ts';

interface Findable {
  id: string;
  company: { id: string };
  name: string;
  externalId?: string | null;
}

/** Waits until nobody else makes or renames what imports find by name or external id; held to the end of the transaction. */
export async function holdMatched(tx: TxContext, companyId: string): Promise<void> {
  // The importer's lock for what it makes when it is missing.
  await queryIn(tx.em, `select pg_advisory_xact_lock(hashtextextended('haulgate:master:' || $1, 0))`, [companyId]);
}

/**
 * Sets the external id of an input on a record, and reports if another record of its company has it. An id that the record has already is
 * not checked: a duplicate of it is older.
 */
export async function giveExternalId(
  tx: TxContext,
  table: 'account' | 'material' | 'site',
  record: Findable,
  given: string | null | undefined,
  to: ErrorCollector,
): Promise<void> {
  if (given === undefined) return;
  const before = record.externalId;
  record.externalId = given?.trim() || null;
  if (record.externalId && record.externalId !== before) await collectTaken(tx, table, record, ['externalId'], to);
}

/**
 * Reports a name or an external id that another record of the company has, or a record had that was merged into it, for records that the importer
 * finds by them. The importer takes
 * the oldest of several, so no index may refuse duplicates. Nobody can make a second one; duplicates from before stay.
 */
export async function collectTaken(
  tx: TxContext,
  table: 'account' | 'equipment_type' | 'material' | 'site',
  record: Findable,
  fields: readonly ('name' | 'externalId')[],
  to: ErrorCollector,
): Promise<void> {
  if (fields.length === 0) return;
  await holdMatched(tx, record.company.id);
  const [taken] = await queryIn<{ name: boolean; externalId: boolean }>(
    tx.em,
    `select coalesce(bool_or(match_name = $2), false) as name, coalesce(bool_or(external_id = $3), false) as "externalId"
    from ${table} t where company_id = $1 and id <> $4 and (match_name = $2 or external_id = $3)
      and (discarded_at is null or exists (select 1 from merged_record m where m.remains_id = t.id and m.kept_id <> $4))`,
    [record.company.id, foldText(record.name), record.externalId, record.id],
  );
  for (const field of fields) if (taken?.[field]) to.items.push({ model: to.model, field, key: 'taken' });
}

/** Reports an external id that a truck had which was merged into another one: tickets find the one that stays by it. */
export async function collectFormerTruck(tx: TxContext, record: Omit<Findable, 'name'>, to: Pick<ErrorCollector, 'items'>): Promise<void> {
  const [former] = await queryIn(
    tx.em,
    `select 1 from equipment f join merged_record m on m.remains_id = f.id
    where f.company_id = $1 and f.external_id = $2 and f.discarded_at is not null and m.kept_id <> $3 limit 1`,
    [record.company.id, record.externalId, record.id],
  );
  if (former) to.items.push({ model: 'Equipment', field: 'externalId', key: 'taken' });
}
