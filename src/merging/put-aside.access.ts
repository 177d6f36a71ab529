import { AutoAddOnAssignment } from '../billing/auto-add-ons/auto-add-on-assignment.entity.ts';
import { AccountExternalTruckIdentifier } from '../directory/equipment/external-truck.entity.ts';
import { Rate } from '../directory/master-data/rate.entity.ts';
import { ScheduledTimeOff } from '../directory/people/time-off.entity.ts';
import { CompanyShare } from '../directory/shares/company-share.entity.ts';
import { ProjectMaterial } from '../dispatch/model/project.entity.ts';
import { MaterialRate } from '../dispatch/pricing/material-rate.entity.ts';
import { SiteRateSchedule } from '../dispatch/pricing/site-rate-schedule.entity.ts';
import { isInUse, isInUseOfAll } from '../platform/database/former-ids.ts';
import { defineAccess } from '../platform/read/access.ts';
import { REFERENCES } from './references.ts';

/** Entities whose rows a merge puts aside, by table. A vendor's bill that was entered twice is shown: it is money, and somebody has to void it. */
export const PUT_ASIDE = {
  account_external_truck_identifier: AccountExternalTruckIdentifier,
  auto_add_on_assignment: AutoAddOnAssignment,
  company_share: CompanyShare,
  material_rate: MaterialRate,
  project_material: ProjectMaterial,
  rate: Rate,
  scheduled_time_off: ScheduledTimeOff,
  site_rate_schedule: SiteRateSchedule,
} as const;

/** Columns of a table by which a row stays with what is left of a merged record, whose id nobody knows. */
const columnsOf = (table: string): string[] => [
  ...new Set(
    Object.values(REFERENCES)
      .flat()
      .flatMap((one) => (one.table === table && one.taken && !one.apart ? [one.column] : [])),
  ),
];

/** What a merge put aside is shown to nobody until it is undone: it has no effect, and names a record that no answer has. */
export const putAsideAccess = Object.entries(PUT_ASIDE).map(([table, entity]) => {
  const columns = columnsOf(table);
  return defineAccess<object>(entity, {
    shown(t, at, whole) {
      const named = columns.map((column) => `${t}.${column}`);
      // Before the merge it counted. Nobody but its company reads its past.
      if (at)
        return `not exists (select from merged_record mr join record_merge mg on mg.id = mr.record_merge_id where mr.remains_id in (${named.join(', ')}) and mg.created_at <= ${at})`;
      // The other company of a share does not see what its sender merged.
      if (entity === CompanyShare) return `not is_left_of_merge(${named.join(', ')})`;
      return whole ? named.map(isInUseOfAll).join(' and ') : isInUse(...named);
    },
  });
});
