import { ref } from '@mikro-orm/core';
import { viewerOf } from '../../../platform/authz/authorization.ts';
import { realActorColumns } from '../../../platform/commands/real-actor.ts';
import type { TxContext } from '../../../platform/commands/transact.ts';
import { wakeWorkers } from '../../../platform/commands/wake-workers.ts';
import { queryIn } from '../../../platform/database/sql.ts';
import { worldTime } from '../../../platform/database/time/sandbox-time.ts';
import { type ErrorItem, Invalid } from '../../../platform/errors.ts';
import { LinkedAccount } from '../linked-account.entity.ts';
import { PUSHING } from '../sources/systems.ts';
import { type ExportedRecord, exportsOf, isInvoice } from './exported-record.ts';
import { SettlementExport } from './settlement-export.entity.ts';

/**
 * Has a locked record sent to an accounting system: to the one that may have it already, or to the one that is wanted.
 * @param linkedAccountId by default, the only system that is linked, or the only one that knows the customer or vendor
 * @throws Invalid naming `linkedAccountId`
 */
export async function requestExport(tx: TxContext, record: ExportedRecord, linkedAccountId?: string | null): Promise<void> {
  const model = isInvoice(record) ? 'Invoice' : 'Settlement';
  const known = await tx.em.findOne(SettlementExport, { ...exportsOf(record), reverses: false });
  const uncertain = known?.uncertainRevision == null ? undefined : known.linkedAccount?.id;
  const system = (linkedAccountId == null ? uncertain : undefined) ?? (await systemFor(tx, record, model, linkedAccountId));
  if (uncertain && uncertain !== system) throw new Invalid([{ model, field: 'linkedAccountId', key: 'export_uncertain_elsewhere' }]);
  const row = known ?? Object.assign(new SettlementExport(), { company: record.company, ...referringTo(record) });
  if (!known) tx.em.persist(row);
  Object.assign(row, {
    ...{ linkedAccount: ref(LinkedAccount, system), state: 'pending', nextAt: worldTime(tx.tx), attempts: 0 },
    ...{ lastError: null, lastErrorCode: null },
    ...askedBy(tx),
  });
  record.exportState = 'pending';
  wakeWorkers(tx);
}

/**
 * Has nobody wait any more for an export that failed, because what it was asked for changes now: otherwise the next mapping would send what nobody has asked
 * for again.
 */
export async function withdrawExport(tx: TxContext, record: ExportedRecord): Promise<void> {
  if (record.exportState !== 'failed') return;
  const row = await tx.em.findOneOrFail(SettlementExport, { ...exportsOf(record), reverses: false });
  Object.assign(row, { state: 'not_exported', lastError: null, lastErrorCode: null });
  record.exportState = 'not_exported';
}

/** The record that an export refers to. */
export const referringTo = (record: ExportedRecord): Pick<SettlementExport, 'invoice' | 'settlement'> =>
  isInvoice(record) ? { invoice: ref(record) } : { settlement: ref(record) };

/** The columns that note who asks for an export. */
export function askedBy(
  tx: TxContext,
): Pick<SettlementExport, 'exportedByType' | 'exportedById' | 'exportedByName' | 'realActorType' | 'realActorId' | 'realActorName'> {
  const viewer = viewerOf(tx);
  return { exportedByType: viewer.type, exportedById: viewer.id, exportedByName: viewer.name, ...realActorColumns(viewer) };
}

const SYSTEMS_OF = `select l.id, exists (select from linked_customer r where r.linked_account_id = l.id and r.customer_account_id = $3)
    or exists (select from linked_vendor r where r.linked_account_id = l.id and r.vendor_account_id = $4) as knows
  from linked_account l where l.company_id = $1 and l.status = 'linked' and l.system = any($2::text[]) order by l.created_at, l.id`;

/** The system to which a record goes. @throws Invalid */
async function systemFor(
  tx: TxContext,
  { company, customerAccount, vendorAccount }: ExportedRecord,
  model: string,
  wanted?: string | null,
): Promise<string> {
  const refuse = (key: ErrorItem['key']) => new Invalid([{ model, field: 'linkedAccountId', key }]);
  const values = [company.id, PUSHING, customerAccount?.id ?? null, vendorAccount?.id ?? null];
  const systems = await queryIn<{ id: string; knows: boolean }>(tx.em, SYSTEMS_OF, values);
  if (wanted != null) {
    const found = systems.find(({ id }) => id === wanted.toLowerCase());
    if (!found) throw refuse('must_exist');
    return found.id;
  }
  const knowing = systems.filter(({ knows }) => knows);
  const [only, ...others] = systems.length > 1 && knowing.length > 0 ? knowing : systems;
  if (!only) throw refuse('no_accounting_system');
  if (others.length > 0) throw refuse('several_accounting_systems');
  return only.id;
}
