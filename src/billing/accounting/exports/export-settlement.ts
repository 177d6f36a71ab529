import { ref } from '@mikro-orm/core';
import { viewerOf } from '../../../platform/authz/authorization.ts';
import { afterCommit, emitEvent, type TxContext, transact } from '../../../platform/commands/transact.ts';
import type { Context, RecordPath } from '../../../platform/context.ts';
import { queryIn } from '../../../platform/database/sql.ts';
import { worldTime } from '../../../platform/database/time/sandbox-time.ts';
import { type ErrorItem, Invalid } from '../../../platform/errors.ts';
import { shareBooks } from '../../periods/books.ts';
import type { Settlement } from '../../settlements/settlement.entity.ts';
import { lockSettlement } from '../../settlements/settlement-commands.ts';
import { LinkedAccount } from '../linked-account.entity.ts';
import { MANAGES_ACCOUNTING } from '../settings.ts';
import { PUSHING } from '../sources/systems.ts';
import { EXPORTABLE, exportsWaker } from './retry-exports.ts';
import { SettlementExport } from './settlement-export.entity.ts';

const model = 'Settlement';

/**
 * Has a settlement sent to an accounting system. One that is on its way stays so; one that failed is tried again, in the same system if that may have it.
 * @param linkedAccountId by default, the only system that is linked, or the only one that knows the customer or vendor
 * @throws Missing, Denied, Invalid
 */
export function exportSettlement(ctx: Context, path: RecordPath, linkedAccountId?: string | null): Promise<{ id: string }> {
  return transact(ctx, async (tx) => {
    const settlement = await lockSettlement(tx, path, MANAGES_ACCOUNTING);
    await shareBooks(tx, settlement.company.id);
    const refuse = (key: string) => new Invalid([{ model, field: 'state', key, params: { state: settlement.state } }]);
    if (settlement.exportedAt) throw refuse('settlement_exported');
    if (!EXPORTABLE.includes(settlement.state)) throw refuse('settlement_not_sendable');
    if (settlement.exportState === 'pending') return settlement;
    const known = await tx.em.findOne(SettlementExport, { settlement: settlement.id, reverses: false });
    const uncertain = known?.uncertainRevision == null ? undefined : known.linkedAccount?.id;
    const system = (linkedAccountId == null ? uncertain : undefined) ?? (await systemFor(tx, settlement, linkedAccountId));
    if (uncertain && uncertain !== system) throw new Invalid([{ model, field: 'linkedAccountId', key: 'export_uncertain_elsewhere' }]);
    const linkedAccount = ref(LinkedAccount, system);
    const row = known ?? Object.assign(new SettlementExport(), { company: settlement.company, settlement: ref(settlement) });
    if (!known) tx.em.persist(row);
    const { type, id, name, realActor } = viewerOf(tx);
    Object.assign(row, {
      ...{ linkedAccount, state: 'pending', nextAt: worldTime(tx.tx), attempts: 0, lastError: null, lastErrorCode: null },
      ...{ exportedByType: type, exportedById: id, exportedByName: name },
      ...{ realActorType: realActor?.type ?? null, realActorId: realActor?.id ?? null, realActorName: realActor?.name ?? null },
    });
    settlement.exportState = 'pending';
    settlement.exportedBeforePay = false;
    emitEvent(tx, 'settlement.export_requested', settlement);
    afterCommit(tx, () => exportsWaker.of(tx.em).wake());
    return settlement;
  });
}

const SYSTEMS_OF = `select l.id, exists (select from linked_customer r where r.linked_account_id = l.id and r.customer_account_id = $3)
    or exists (select from linked_vendor r where r.linked_account_id = l.id and r.vendor_account_id = $4) as knows
  from linked_account l where l.company_id = $1 and l.status = 'linked' and l.system = any($2::text[]) order by l.created_at, l.id`;

/** The system to which a settlement goes. @throws Invalid */
async function systemFor(tx: TxContext, { company, customerAccount, vendorAccount }: Settlement, wanted?: string | null): Promise<string> {
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
