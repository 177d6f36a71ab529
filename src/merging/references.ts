/** The types of records that can be merged. */
export type MergeableType = 'Account' | 'Site' | 'Material' | 'User' | 'Equipment';

/** Their tables. */
export const TABLES: Record<MergeableType, string> = {
  Account: 'account',
  Site: 'site',
  Material: 'material',
  User: 'app_user',
  Equipment: 'equipment',
};

/**
 * The effect of a merge on a column that refers to the merged record. `moves`: it refers to the record that stays from then on. `stays`: it goes on to
 * refer to what is left of the former record, and is used again when the merge is undone.
 */
export type Effect = 'moves' | 'stays';

/** A column that refers to records of a type, with or without a foreign key. */
export interface Reference {
  table: string;
  column: string;
  does: Effect;
  /** A list of ids. */
  list?: true;
  /** Of a column that refers to records of several types: the column that says of which, and what it says. */
  kind?: readonly [column: string, value: string];
  /**
   * A row of the record that stays (`o`) that keeps row `r` from moving, because both would be one to a unique rule, with the columns that it
   * names. What may not move stays with the former record.
   */
  taken?: { by: string; columns: readonly string[] };
  /**
   * Why the records are not merged at all if there is such a row, or one of another condition `by`: the key of a message, and what of the first such row it
   * says.
   */
  refuses?: { key: string; of?: string; by?: string };
  /** A row that is taken moves all the same, and says in this column whose it was: the unique rule names it, too. */
  apart?: string;
  /** Its rows are no other ones because the record that they name is called otherwise: what is closed keeps its version. */
  quietly?: true;
  /** The column by which a row is known, if that is not `id`. */
  key?: string;
  /**
   * Of a table in which one record has hundreds of thousands of rows, by months: they are moved page by page, in the order of an index over these
   * columns. That of `index` is the same as the reference itself, or is made of it.
   */
  pages?: { index: string; time: string };
}

type More = Omit<Reference, 'table' | 'column' | 'does'>;
const moves = (place: string, more: More = {}): Reference => ({ ...at(place), does: 'moves', ...more });
const stays = (place: string, more: More = {}): Reference => ({ ...at(place), does: 'stays', ...more });
function at(place: string): { table: string; column: string } {
  const [table, column] = place.split('.') as [string, string];
  return { table, column };
}

const list = true;
const quietly = true;
/**
 * A unique rule over further columns. Of one that may be null, with `?`, null is a value like others; PostgreSQL finds nothing by such a comparison, neither
 * in an index nor by hash.
 * @param live only among rows that were not discarded
 */
const same = (columns: readonly string[], live = false): More => {
  const names = columns.map((column) => column.replace('?', ''));
  return {
    taken: {
      by: [
        ...names.map((name, at) => `o.${name} ${name === columns[at] ? '=' : 'is not distinct from'} r.${name}`),
        ...(live ? ['o.discarded_at is null', 'r.discarded_at is null'] : []),
      ].join(' and '),
      columns: [...names, ...(live ? ['discarded_at'] : [])],
    },
  };
};
const STANDARD_RATE: More = {
  taken: {
    by: 'o."primary" and r."primary" and o.discarded_at is null and r.discarded_at is null and o.owner_type = r.owner_type',
    columns: ['"primary"', 'discarded_at', 'owner_type'],
  },
};
const OPEN_TIME_OFF: More = { taken: { by: 'o.end_date is null and r.end_date is null', columns: ['end_date'] } };
const ONE_ROOT: More = {
  taken: {
    by: `o.side = r.side and coalesce(o.original_auto_add_on_assignment_id, o.id) = coalesce(r.original_auto_add_on_assignment_id, r.id)`,
    columns: ['side', 'original_auto_add_on_assignment_id'],
  },
};
const ofAny = (key: string): More => ({ taken: { by: 'true', columns: [] }, refuses: { key } });
const SIDES = same(['receiver_company_id', 'sender_company_id']).taken!;
const shared = (value: string): More => ({
  kind: ['company_shareable_type', value],
  taken: { ...SIDES, columns: [...SIDES.columns, 'valid_until'] },
  // The share that counts would be one that has ended, and the other company would lose what it has.
  refuses: { key: 'merge_share_ended', by: `${SIDES.by} and o.valid_until <= now() and (r.valid_until is null or r.valid_until > now())` },
});
const ONE_TRIGGER = ['geofence_trigger_type', 'occurred_at'];
const CREW = ['foreman_ids', 'collaborator_ids', 'salesperson_ids'];
const HOURS = ['started_shift_at', 'ended_shift_at'];
/** Hours in which both timesheets are paid: corrected ones count in place of those that were logged, as in `billing/days/day-facts.ts`. */
const endOf = (d: string): string =>
  `case when ${d}.ended_shift_at is null then 'infinity' else coalesce(${d}.adjusted_ended_shift_at, ${d}.ended_shift_at) end`;
const startOf = (d: string): string => `coalesce(${d}.adjusted_started_shift_at, ${d}.started_shift_at)`;
/** Two shifts of one date are two timesheets, each with its own approvals and its own pay. They are one after the other, or the drivers are not one person. */
const TWO_SHIFTS: More = {
  taken: {
    by: 'o.driver_day_date = r.driver_day_date and o.merged_driver_id is null and r.merged_driver_id is null',
    columns: ['driver_day_date', 'merged_driver_id', ...HOURS, ...HOURS.map((column) => `adjusted_${column}`)],
  },
  apart: 'merged_driver_id',
  refuses: {
    key: 'merge_same_day',
    of: 'min(r.driver_day_date)::text',
    // A shift lasts for a day at most and is corrected by a day at most. Positions are measured in the hours that were logged.
    by: `o.driver_day_date between r.driver_day_date - 3 and r.driver_day_date + 3 and (${startOf('o')} < ${endOf('r')} and ${startOf('r')} < ${endOf('o')}
      or o.driver_day_date = r.driver_day_date and o.started_shift_at < coalesce(r.ended_shift_at, 'infinity')
        and r.started_shift_at < coalesce(o.ended_shift_at, 'infinity'))`,
  },
};
const LINKED = (column: string): Reference => moves(column, { ...same(['linked_account_id']), refuses: { key: 'merge_both_linked' } });

/**
 * Everything that refers to records that can be merged, and what a merge does to it. `test/merging/references.test.ts` compares it with the
 * foreign keys and the other columns of ids in the database.
 */
export const REFERENCES: Record<MergeableType, readonly Reference[]> = {
  Account: [
    ...['project.account_id', 'orders.account_id', 'orders.vendor_id'].map((place) => moves(place)),
    ...['job_assignment.customer_account_id', 'job_assignment.vendor_account_id'].map((place) => moves(place)),
    ...['ticket.account_id', 'bulk_action_item.customer_account_id', 'bulk_action_item.vendor_account_id'].map((place) => moves(place)),
    moves('material_rate.supplier_account_id'),
    ...['orders', 'job', 'load'].map((table) => moves(`${table}.material_rate_supplier_account_id`)),
    moves('waiting_ticket.vendor_id', { key: 'ticket_id' }),
    moves('invoice.customer_account_id', { quietly }),
    moves('invoice.vendor_account_id', {
      quietly,
      // A job has one payable for the material of each supplier.
      taken: {
        by: `o.of_material and r.of_material and o.job_id = r.job_id and o.part = r.part and o.state <> 'voided' and r.state <> 'voided'`,
        columns: ['of_material', 'job_id', 'part', 'state'],
      },
      refuses: { key: 'merge_both_suppliers' },
    }),
    ...['settlement.customer_account_id', 'settlement.vendor_account_id'].map((place) => moves(place, { quietly })),
    ...['load_match.customer_account_id', 'load_match.vendor_account_id'].map((place) => moves(place, { quietly })),
    // The number of a bill is known once for each vendor; two vendors number theirs alike, and both of the bills were sent.
    moves('vendor_bill.vendor_account_id', {
      quietly,
      taken: {
        by: 'fold_text(o.number) = fold_text(r.number) and o.merged_vendor_account_id is null and r.merged_vendor_account_id is null',
        columns: ['number', 'merged_vendor_account_id'],
      },
      apart: 'merged_vendor_account_id',
    }),
    // The link in a text ends with the account that it was for; the next reminder has another one.
    stays('photo_link.vendor_account_id'),
    // A profile has the id of its account.
    moves('billing_profile.id', { taken: { by: 'true', columns: [] } }),
    LINKED('linked_customer.customer_account_id'),
    LINKED('linked_vendor.vendor_account_id'),
    moves('rate.account_id', STANDARD_RATE),
    moves('material_rate.customer_account_id', {
      taken: {
        by: `o.project_id is null and r.project_id is null and o.material_id = r.material_id and o.site_id is not distinct from r.site_id
          and o.discarded_at is null and r.discarded_at is null`,
        columns: ['material_id', 'project_id', 'site_id', 'discarded_at'],
      },
    }),
    moves('auto_add_on_assignment.account_id', ONE_ROOT),
    moves('scheduled_time_off.account_id', OPEN_TIME_OFF),
    moves('account_external_truck_identifier.account_id', same(['external_truck_id'])),
    moves('compliance_document.compliant_id', { kind: ['compliant_type', 'Account'] }),
  ],
  Site: [
    moves('waypoint.site_id'),
    moves('default_site.site_id', same(['order_id?', 'project_id?', 'waypoint_type'])),
    ...['project.site_id', 'orders.material_rate_site_id', 'job.material_rate_site_id', 'load.material_rate_site_id'].map((place) =>
      moves(place),
    ),
    moves('equipment.home_base_id'),
    moves('ticket.site_id'),
    ...['invoice.pickup_site_id', 'invoice.dropoff_site_id'].map((place) => moves(place, { quietly })),
    moves('material_rate.site_id', {
      taken: {
        by: `o.material_id = r.material_id and o.project_id is not distinct from r.project_id
          and (o.project_id is not null or o.customer_account_id is not distinct from r.customer_account_id)
          and o.discarded_at is null and r.discarded_at is null`,
        columns: ['material_id', 'project_id', 'customer_account_id', 'discarded_at'],
      },
    }),
    moves('site_rate_schedule.site_id', same(['project_id', 'dropoff_site_id?', 'equipment_type_id?', 'material_id?'], true)),
    moves('site_rate_schedule.dropoff_site_id', same(['project_id', 'site_id?', 'equipment_type_id?', 'material_id?'], true)),
    moves('resource_scope.site_id', same(['user_id'])),
    moves('company_share.company_shareable_id', shared('Site')),
    moves('contact.site_id'),
    // The record that stays keeps its own geofences and what it follows.
    stays('routing_geofence.site_id'),
    stays('moving_site.site_id'),
    moves('geofence_trigger.site_id'),
    // The circle around a site has the site's id.
    moves('geofence_trigger.fence_id', same(['asset_id', ...ONE_TRIGGER])),
    moves('waiting_ticket.site_ids', { list, key: 'ticket_id' }),
    moves('import_batch.site_ids', { list }),
  ],
  Material: [
    ...['orders.material_id', 'job.material_id', 'load.material_id', 'ticket.material_id'].map((place) => moves(place)),
    moves('project_material.material_id', same(['project_id'])),
    moves('invoice.material_id', { quietly }),
    moves('material_rate.material_id', {
      taken: {
        by: `o.project_id is not distinct from r.project_id and o.site_id is not distinct from r.site_id
          and (o.project_id is not null or o.customer_account_id is not distinct from r.customer_account_id)
          and o.discarded_at is null and r.discarded_at is null`,
        columns: ['project_id', 'site_id', 'customer_account_id', 'discarded_at'],
      },
    }),
    moves('site_rate_schedule.material_id', same(['project_id', 'site_id?', 'dropoff_site_id?', 'equipment_type_id?'], true)),
  ],
  User: [
    ...['job.driver_id', 'orders.driver_id', 'orders.shared_driver_id', 'orders.requester_id', 'project.requester_id'].map((place) =>
      moves(place),
    ),
    ...['orders', 'job', 'project'].flatMap((table) => CREW.map((column) => moves(`${table}.${column}`, { list }))),
    moves('load.foreman_ids', { list }),
    moves('driver_day.driver_id', TWO_SHIFTS),
    moves('driver_state_event.user_id', {
      taken: {
        by: `tstzrange(o.started_at, o.ended_at) && tstzrange(r.started_at, r.ended_at)`,
        columns: ['started_at', 'ended_at', 'state'],
      },
      // Off duty they have no shift: that ends when either begins something (weave-states.ts).
      refuses: {
        key: 'merge_overlapping_shifts',
        of: `to_char(min(r.started_at) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI"Z"')`,
        by: `tstzrange(o.started_at, o.ended_at) && tstzrange(r.started_at, r.ended_at) and o.state <> 'off_duty' and r.state <> 'off_duty'`,
      },
    }),
    moves('resource_usage_log.driver_id'),
    ...['invoice.driver_id', 'invoice.payee_driver_id', 'invoice_line_item.payee_driver_id', 'add_on_charge.payee_driver_id'].map((place) =>
      moves(place, { quietly }),
    ),
    ...['settlement.driver_id', 'load_match.payee_driver_id'].map((place) => moves(place, { quietly })),
    moves('bulk_action_item.driver_id'),
    moves('rate.driver_id', STANDARD_RATE),
    moves('auto_add_on_assignment.driver_id', ONE_ROOT),
    moves('scheduled_time_off.user_id', OPEN_TIME_OFF),
    moves('compliance_document.compliant_id', { kind: ['compliant_type', 'User'] }),
    moves('company_share.company_shareable_id', shared('User')),
    moves('location_history.user_id', { ...same(['occurred_at', 'device_id']), pages: { index: 'asset_id', time: 'occurred_at' } }),
    moves('geofence_trigger.asset_id', { kind: ['asset_type', 'driver'], ...same(['fence_id', ...ONE_TRIGGER]) }),
    moves('position_task.asset_id', { kind: ['asset_type', 'User'], ...same(['kind']) }),
    stays('fence_progress.asset_id'),
    // By what a person signs in, what was sent to them, and what limits them: the person who stays has their own.
    ...['credential', 'user_session', 'device_token', 'one_time_secret', 'sso_ticket', 'impersonation', 'invitation'].map((table) =>
      stays(`${table}.user_id`),
    ),
    ...['user_device_permission.user_id', 'notification.user_id', 'resource_scope.user_id', 'photo_link.driver_id'].map((place) =>
      stays(place),
    ),
    stays('settlement_email_delivery.sender_user_id'),
  ],
  Equipment: [
    ...['job.equipment_id', 'orders.equipment_id', 'ticket.equipment_id', 'app_user.equipment_id', 'app_user.default_equipment_id'].map(
      (place) => moves(place),
    ),
    ...['job', 'app_user'].map((table) => moves(`${table}.additional_equipment_ids`, { list })),
    ...['app_user', 'company_share'].map((table) => moves(`${table}.default_additional_equipment_ids`, { list })),
    moves('rate.equipment_ids', { list }),
    moves('company_share.default_equipment_id'),
    moves('account_external_truck_identifier.equipment_id'),
    moves('moving_site.equipment_id'),
    moves('resource_usage_log.equipment_id'),
    moves('invoice.equipment_id', { quietly }),
    moves('travelled_distance.equipment_id', same(['traveller_id', 'administrative_area', 'travelled_distance_type'])),
    moves('telematics_remote_vehicle.equipment_id', ofAny('merge_both_followed')),
    moves('compliance_document.compliant_id', { kind: ['compliant_type', 'Equipment'] }),
    moves('company_share.company_shareable_id', shared('Equipment')),
    moves('location_history.equipment_id', {
      ...same(['user_id?', 'occurred_at', 'device_id']),
      pages: { index: 'equipment_id', time: 'occurred_at' },
    }),
    moves('geofence_trigger.asset_id', { kind: ['asset_type', 'equipment'], ...same(['fence_id', ...ONE_TRIGGER]) }),
    moves('position_task.asset_id', { kind: ['asset_type', 'Equipment'], ...same(['kind']) }),
    stays('fence_progress.asset_id'),
  ],
};

/** Former ids of a record that is merged itself are answered by the record that stays then. */
export const EARLIER: Reference = moves('merged_record.kept_id', { key: 'former_id' });
