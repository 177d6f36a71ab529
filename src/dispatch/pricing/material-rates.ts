import { ref } from '@mikro-orm/core';
import { Account } from '../../directory/accounts/account.entity.ts';
import type { MasterKind } from '../../directory/master-data/master-data.ts';
import { Material } from '../../directory/master-data/named.entities.ts';
import { Site } from '../../directory/sites/site.entity.ts';
import { withoutUnseen } from '../../identity/access/money.ts';
import { viewerOf } from '../../platform/authz/authorization.ts';
import { resolveReferences } from '../../platform/authz/references.ts';
import type { TxContext } from '../../platform/commands/transact.ts';
import { defineUnique } from '../../platform/commands/unique.ts';
import { type ErrorCollector, type ErrorItem, Invalid } from '../../platform/errors.ts';
import { collectNoSupplier, collectUnusable } from '../fields/field-table.ts';
import { Project } from '../model/project.entity.ts';
import { MaterialRate } from './material-rate.entity.ts';
import type { CreateMaterialRateInput, UpdateMaterialRateInput } from './material-rate.inputs.ts';

export const materialRateCombinationKey = defineUnique('material_rate_combination_key', { model: 'MaterialRate', field: 'materialId' });

const RELATIONS = {
  materialId: 'material',
  projectId: 'project',
  siteId: 'site',
  customerAccountId: 'customerAccount',
  supplierAccountId: 'supplierAccount',
} as const;

/** The rules of material prices: there is one for each combination of material, project, site and customer. */
export const materialRates: MasterKind<MaterialRate, CreateMaterialRateInput, UpdateMaterialRateInput> & { entity: typeof MaterialRate } = {
  entity: MaterialRate,
  event: 'material_rate',
  permissions: { create: 'create_material_rate', edit: 'edit_material_rate', delete: 'edit_material_rate' },
  async fill(tx, rate, sent) {
    const input = withoutUnseen(viewerOf(tx), sent);
    const items: ErrorItem[] = [];
    await applyRelations(tx, rate, input, { model: 'MaterialRate', items });
    if (input.unitOfMeasure) rate.unitOfMeasure = input.unitOfMeasure;
    for (const field of ['materialId', 'unitOfMeasure'] as const)
      if (input[field] === null) items.push({ model: 'MaterialRate', field, key: 'required' });
    if (input.buyPrice !== undefined) rate.buyPrice = input.buyPrice;
    if (input.sellPrice !== undefined) rate.sellPrice = input.sellPrice;
    if (items.length > 0) throw new Invalid(items);
  },
};

async function applyRelations(tx: TxContext, rate: MaterialRate, input: UpdateMaterialRateInput, to: ErrorCollector): Promise<void> {
  const options = { model: to.model, companyId: rate.company.id, items: to.items };
  const own = await resolveReferences(
    tx,
    input,
    {
      materialId: [Material, 'materialId'],
      projectId: [Project, 'projectId'],
      customerAccountId: [Account, 'customerAccountId'],
      supplierAccountId: [Account, 'supplierAccountId'],
    },
    options,
  );
  // Places that other companies share are allowed, too.
  const places = await resolveReferences(tx, input, { siteId: [Site, 'siteId'] }, { ...options, shared: true });
  const referred: Record<string, { id: string } | null | undefined> = { ...own, ...places };
  const target = rate as unknown as Record<string, unknown>;
  for (const [field, relation] of Object.entries(RELATIONS)) {
    const one = referred[field];
    if (one === undefined) continue;
    if (one && one.id !== (target[relation] as { id: string } | null | undefined)?.id) collectUnusable(one, field, to);
    if (one || field !== 'materialId') target[relation] = one ? ref(one) : null;
  }
  const account = own.customerAccountId;
  if (account && !account.accountTypes.includes('customer')) collect(to, 'not_a_customer');
  collectNoSupplier(own.supplierAccountId, 'supplierAccountId', to);
  const project = rate.project && (own.projectId ?? (await rate.project.load()));
  if (project && rate.customerAccount && rate.customerAccount.id !== project.account.id) collect(to, 'other_account');
}

const collect = (to: ErrorCollector, key: string) => to.items.push({ model: to.model, field: 'customerAccountId', key });
