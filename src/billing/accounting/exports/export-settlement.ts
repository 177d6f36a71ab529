import { emitEvent, transact } from '../../../platform/commands/transact.ts';
import type { Context, RecordPath } from '../../../platform/context.ts';
import { Invalid } from '../../../platform/errors.ts';
import { shareBooks } from '../../periods/books.ts';
import { lockSettlement } from '../../settlements/settlement-commands.ts';
import { MANAGES_ACCOUNTING } from '../settings.ts';
import { requestExport } from './request-export.ts';
import { EXPORTABLE } from './retry-exports.ts';

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
    await requestExport(tx, settlement, linkedAccountId);
    settlement.exportedBeforePay = false;
    emitEvent(tx, 'settlement.export_requested', settlement);
    return settlement;
  });
}
