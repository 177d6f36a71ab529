import { ref } from '@mikro-orm/core';
import { Account } from '../../directory/accounts/account.entity.ts';
import { Site } from '../../directory/sites/site.entity.ts';
import { resolveReferences } from '../../platform/authz/references.ts';
import type { TxContext } from '../../platform/commands/transact.ts';
import type { ErrorCollector } from '../../platform/errors.ts';
import { collectNoSupplier, collectUnusable } from '../fields/field-table.ts';
import type { MaterialRateAssignmentInput } from '../jobs/job.inputs.ts';
import type { Job } from '../model/job.entity.ts';
import type { Load } from '../model/load.entity.ts';
import type { Phase } from '../model/phase.entity.ts';

/** Sets the phase of a job or load: one of the same order, or the one it was under before. */
export function setPhase(target: Pick<Job | Load, 'phase'>, phase: Phase | null | undefined, orderId: string, to: ErrorCollector): void {
  if (phase && phase.orderId !== orderId && phase.id !== target.phase?.id)
    to.items.push({ model: to.model, field: 'phaseId', key: 'not_of_this_order' });
  target.phase = phase ? ref(phase) : null;
}

/** Sets the prices that a job or load has of its own; null clears them. */
export async function applyMaterialRate(
  tx: TxContext,
  target: Job | Load,
  input: MaterialRateAssignmentInput | null,
  to: ErrorCollector,
): Promise<void> {
  const given = input ?? { sellPrice: null, buyPrice: null, unitOfMeasure: null, siteId: null, supplierAccountId: null };
  if (given.sellPrice !== undefined) target.materialSellPrice = given.sellPrice;
  if (given.buyPrice !== undefined) target.materialBuyPrice = given.buyPrice;
  if (given.unitOfMeasure !== undefined) target.materialRateUnitOfMeasure = given.unitOfMeasure;
  if (given.siteId === undefined && given.supplierAccountId === undefined) return;
  const { site, supplier } = await resolveReferences(
    tx,
    given,
    { site: [Site, 'siteId'], supplier: [Account, 'supplierAccountId'] },
    { model: to.model, companyId: target.company.id, path: 'materialRateAssignment.', items: to.items },
  );
  if (given.siteId !== undefined) {
    if (site && site.id !== target.materialRateSite?.id) collectUnusable(site, 'materialRateAssignment.siteId', to);
    target.materialRateSite = site ? ref(site as Site) : null;
  }
  if (given.supplierAccountId === undefined) return;
  const field = 'materialRateAssignment.supplierAccountId';
  if (supplier && supplier.id !== target.materialRateSupplierAccount?.id) collectUnusable(supplier, field, to);
  collectNoSupplier(supplier as Account | null | undefined, field, to);
  target.materialRateSupplierAccount = supplier ? ref(supplier as Account) : null;
}
