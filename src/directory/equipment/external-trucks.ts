import { ref } from '@mikro-orm/core';
import { allow, find } from '../../platform/authz/authorization.ts';
import { resolveReference } from '../../platform/authz/references.ts';
import { emitEvent, type TxContext, transact } from '../../platform/commands/transact.ts';
import type { Context, RecordPath } from '../../platform/context.ts';
import { Invalid } from '../../platform/errors.ts';

import { CompanyShare } from '../shares/company-share.entity.ts';
import { Equipment } from './equipment.entity.ts';
import { AccountExternalTruckIdentifier, type UpdateExternalTruckInput } from './external-truck.entity.ts';

/** Says which of a vendor's trucks its name means; null forgets it. Tickets that come later find it. @throws Missing, Denied, Invalid */
export function updateExternalTruck(
  ctx: Context,
  { id, companyId }: RecordPath,
  input: UpdateExternalTruckInput,
): Promise<AccountExternalTruckIdentifier> {
  return transact(ctx, async (tx) => {
    const named = await find(tx, AccountExternalTruckIdentifier, id, { companyId, lock: true });
    allow(tx, 'edit_account');
    if (input.companyShareId !== undefined) await mean(tx, named, input);
    emitEvent(tx, 'external_truck.updated', named);
    return named;
  });
}

/** Forgets a name; the vendor's next ticket with it makes it anew. @throws Missing, Denied */
export function deleteExternalTruck(ctx: Context, { id, companyId }: RecordPath): Promise<void> {
  return transact(ctx, async (tx) => {
    const named = await find(tx, AccountExternalTruckIdentifier, id, { companyId, lock: true });
    allow(tx, 'edit_account');
    emitEvent(tx, 'external_truck.deleted', named);
    tx.em.remove(named);
  });
}

async function mean(tx: TxContext, named: AccountExternalTruckIdentifier, input: UpdateExternalTruckInput): Promise<void> {
  const invalid = (key: string) => new Invalid([{ model: 'AccountExternalTruckIdentifier', field: 'companyShareId', key }]);
  const at = { model: 'AccountExternalTruckIdentifier', companyId: named.company.id, shared: true };
  const share = await resolveReference(tx, CompanyShare, input, 'companyShareId', at);
  if (!share) {
    named.companyShare = null;
    named.equipment = null;
    return;
  }
  const ended = share.validUntil && share.validUntil <= tx.tx.now;
  if (share.receiverCompany.id !== named.company.id || share.companyShareableType !== 'Equipment' || ended) throw invalid('must_exist');
  const account = await named.account.loadOrFail({ filters: { tenant: false } });
  if (share.senderCompany.id !== account.connectedCompany?.id) throw invalid('share_of_other');
  named.companyShare = ref(share);
  named.equipment = ref(Equipment, share.companyShareableId);
}
