import { ref } from '@mikro-orm/core';
import { EquipmentType } from '../../directory/equipment/equipment-type.entity.ts';
import { lockMaster, type MasterKind } from '../../directory/master-data/master-data.ts';
import { Material } from '../../directory/master-data/named.entities.ts';
import { Rate, RateOwnerType } from '../../directory/master-data/rate.entity.ts';
import { Site } from '../../directory/sites/site.entity.ts';
import { onlySeen, withoutUnseen } from '../../identity/access/money.ts';
import { viewerOf } from '../../platform/authz/authorization.ts';
import { resolveReferences } from '../../platform/authz/references.ts';
import { emitEvent, type TxContext, transact } from '../../platform/commands/transact.ts';
import { defineUnique } from '../../platform/commands/unique.ts';
import type { Context, RecordPath } from '../../platform/context.ts';
import { type ErrorCollector, Invalid } from '../../platform/errors.ts';
import { collectUnusable, validateRateOwner } from '../fields/field-table.ts';
import { Project } from '../model/project.entity.ts';
import { SiteRateSchedule } from './site-rate-schedule.entity.ts';
import type { SiteRateScheduleInput } from './site-rate-schedule.inputs.ts';

export const siteRateScheduleSiteKey = defineUnique('site_rate_schedule_site_key', { model: 'SiteRateSchedule', field: 'siteId' });

/** The rules of schedules. They are a part of the project, and changing them requires the permission for the project. */
export const schedules: MasterKind<SiteRateSchedule, SiteRateScheduleInput, SiteRateScheduleInput> & { entity: typeof SiteRateSchedule } = {
  entity: SiteRateSchedule,
  event: 'site_rate_schedule',
  permissions: { create: 'edit_project', edit: 'edit_project', delete: 'edit_project' },
  // Changes of an existing schedule are limited to the sides that the viewer sees; in a new one, the viewer may set all of them.
  fill: (tx, schedule, input) => fill(tx, schedule, onlySeen(viewerOf(tx), input)),
};

/** Creates the rates for a project's work under some conditions. @throws Missing, Denied, Invalid with every wrong field at once */
export function createSchedule(ctx: Context, project: RecordPath, input: SiteRateScheduleInput): Promise<SiteRateSchedule> {
  return transact(ctx, async (tx) => {
    const { id, company } = await lockMaster(tx, { entity: Project }, project, schedules.permissions.create);
    const schedule = Object.assign(new SiteRateSchedule(), { company, project: ref(Project, id) });
    await fill(tx, schedule, input);
    tx.em.persist(schedule);
    emitEvent(tx, 'site_rate_schedule.created', schedule);
    return schedule;
  });
}

const PLACES = { site: [Site, 'siteId'], dropoffSite: [Site, 'dropoffSiteId'] } as const;
const KINDS = { equipmentType: [EquipmentType, 'equipmentTypeId'], material: [Material, 'materialId'] } as const;

/** Sites may be shared by other companies; equipment types and materials are the company's own. */
async function fillConditions(tx: TxContext, schedule: SiteRateSchedule, input: SiteRateScheduleInput, to: ErrorCollector): Promise<void> {
  const options = { model: to.model, companyId: schedule.company.id, items: to.items };
  const found = {
    ...(await resolveReferences(tx, input, PLACES, { ...options, shared: true })),
    ...(await resolveReferences(tx, input, KINDS, options)),
  };
  for (const name of ['site', 'dropoffSite', 'equipmentType', 'material'] as const) {
    const one = found[name];
    if (one && one.id !== schedule[name]?.id) collectUnusable(one, `${name}Id`, to);
    if (one !== undefined) Object.assign(schedule, { [name]: one ? ref(one as Site) : null });
  }
}

async function fill(tx: TxContext, schedule: SiteRateSchedule, sent: SiteRateScheduleInput): Promise<void> {
  const input = withoutUnseen(viewerOf(tx), sent);
  const to: ErrorCollector = { model: 'SiteRateSchedule', items: [] };
  const options = { model: to.model, companyId: schedule.company.id, items: to.items };
  await fillConditions(tx, schedule, input, to);
  const specs = { customer: [Rate, 'customerRateId'], vendor: [Rate, 'vendorRateId'], driver: [Rate, 'driverRateId'] } as const;
  const rateCards = await resolveReferences(tx, input, specs, options);
  const customer = rateCards.customer && (await tx.em.findOne(Project, schedule.project.id, { filters: { tenant: false } }))?.account;
  for (const side of Object.values(RateOwnerType)) {
    const rateCard = rateCards[side];
    const [rate, value, type] = [`${side}Rate`, `${side}RateValue`, `${side}RateType`] as const;
    if (rateCard && rateCard.id !== schedule[rate]?.id) {
      collectUnusable(rateCard, `${rate}Id`, to);
      validateRateOwner(rateCard, `${rate}Id`, { customer }, to);
    }
    if (rateCard !== undefined) schedule[rate] = rateCard ? ref(rateCard) : null;
    if (input[value] !== undefined) schedule[value] = input[value];
    if (input[type] !== undefined) schedule[type] = input[type];
    // A value is incomplete without what it is paid for.
    if (schedule[value] && !schedule[type]) to.items.push({ model: to.model, field: type, key: 'required' });
  }
  if (to.items.length > 0) throw new Invalid(to.items);
}
