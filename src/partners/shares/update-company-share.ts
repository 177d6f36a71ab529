import { ref } from '@mikro-orm/core';
import { Equipment } from '../../directory/equipment/equipment.entity.ts';
import { CompanyShare } from '../../directory/shares/company-share.entity.ts';
import type { UpdateCompanyShareInput } from '../../directory/shares/company-share.inputs.ts';
import { SHARES } from '../../directory/shares/shares-purpose.ts';
import { allow, find, viewerOf } from '../../platform/authz/authorization.ts';
import { resolveReferences } from '../../platform/authz/references.ts';
import { emitEvent, transact } from '../../platform/commands/transact.ts';
import type { Context, RecordPath } from '../../platform/context.ts';
import { runAsPurpose } from '../../platform/database/scope.ts';
import { type ErrorItem, Invalid } from '../../platform/errors.ts';

/** Fields that only shares of people have. */
const OF_PEOPLE = ['defaultEquipmentId', 'defaultAdditionalEquipmentIds'] as const;
/** The side that may change each field. Both sides may change the names by which tickets are matched. */
const SENDERS = ['dispatchable', 'rateOverride', 'expiresAt'] as const;
const RECEIVERS = ['externalId', 'scheduleOn', ...OF_PEOPLE] as const;

/** Changes a share: absent fields stay. Each side may change its own fields. @throws Denied, Missing, Invalid */
export function updateCompanyShare(ctx: Context, path: RecordPath, sent: UpdateCompanyShareInput): Promise<CompanyShare> {
  return transact(ctx, async (tx) => {
    const share = await find(tx, CompanyShare, path.id, { companyId: path.companyId, shared: true, lock: true });
    allow(tx, 'edit_company_share');
    const items: ErrorItem[] = [];
    const report = (field: string, key: string) => items.push({ model: 'CompanyShare', field, key });
    const acting = path.companyId ? [path.companyId.toLowerCase()] : viewerOf(tx).companyIds;
    const isSender = acting.includes(share.senderCompany.id);
    const isReceiver = acting.includes(share.receiverCompany.id);
    const isPerson = share.companyShareableType === 'User';
    const input = withoutShown(share, sent, [...(isSender ? [] : SENDERS), ...(isReceiver ? [] : RECEIVERS)]);
    for (const name of SENDERS) if (input[name] !== undefined && !isSender) report(name, 'only_sender');
    for (const name of RECEIVERS) if (input[name] !== undefined && !isReceiver) report(name, 'only_receiver');
    for (const name of ['dispatchable', 'rateOverride', 'scheduleOn'] as const) {
      if (input[name] === null) report(name, 'required');
      else if (input[name] !== undefined) share[name] = input[name];
    }
    if (!isPerson) share.rateOverride = false;
    if (share.dispatchable && share.parentCompanyShareId && input.dispatchable) {
      const parent = await runAsPurpose(SHARES, () =>
        tx.em.findOne(CompanyShare, share.parentCompanyShareId!, { filters: { tenant: false } }),
      );
      if (parent && !parent.plannable) report('dispatchable', 'not_dispatchable');
    }
    for (const name of ['externalId', 'ticketMatchId', 'expiresAt'] as const)
      if (input[name] !== undefined) Object.assign(share, { [name]: input[name] });

    const specs = { truck: [Equipment, 'defaultEquipmentId'], trailers: [Equipment, 'defaultAdditionalEquipmentIds'] } as const;
    const refer = { model: 'CompanyShare', companyId: share.receiverCompany.id, shared: true, items };
    const { truck, trailers } = isReceiver ? await resolveReferences(tx, input, specs, refer) : {};
    const known = [share.defaultEquipment?.id, ...share.defaultAdditionalEquipmentIds];
    const gone = (one: Equipment | null | undefined) => Boolean(one?.discardedAt) && !known.includes(one!.id);
    if (gone(truck)) report('defaultEquipmentId', 'must_exist');
    for (const [at, one] of (trailers ?? []).entries()) if (gone(one)) report(`defaultAdditionalEquipmentIds.${at}`, 'must_exist');
    if (!isPerson) for (const name of OF_PEOPLE) if (input[name] !== undefined && input[name] !== null) report(name, 'people_only');
    if (items.length > 0) throw new Invalid(items);
    if (truck !== undefined) share.defaultEquipment = truck ? ref(truck) : null;
    if (trailers !== undefined) share.defaultAdditionalEquipmentIds = [...new Set((trailers ?? []).map((one) => one.id))];
    emitEvent(tx, 'company_share.updated', share);
    return share;
  });
}

/** Returns an input without fields of the other side that say what a share is read with: clients send it back whole, to change one of their own. */
function withoutShown(
  share: CompanyShare,
  sent: UpdateCompanyShareInput,
  others: readonly (keyof UpdateCompanyShareInput)[],
): UpdateCompanyShareInput {
  const { plannable: dispatchable, validUntil: expiresAt, rateOverride, externalId, scheduleOn } = share;
  const shown: UpdateCompanyShareInput = { dispatchable, expiresAt, rateOverride, externalId, scheduleOn };
  const textOf = (value: unknown) => JSON.stringify(value ?? null);
  const isShown = (name: keyof UpdateCompanyShareInput) => name in shown && textOf(sent[name]) === textOf(shown[name]);
  return { ...sent, ...Object.fromEntries(others.filter(isShown).map((name) => [name, undefined])) };
}
