import { Migration } from '@mikro-orm/migrations';

/** Columns that say how far some worker is, or where somebody was last: they change all the time, and nobody follows a record for them. */
const POSITION = ['last_ping_at', 'still_since', 'last_lat', 'last_lon', 'positions_forgotten_at'];
/** Records that have changes, by their tables. */
const RECORDS: readonly [table: string, type: string, unnoticed?: string[]][] = [
  ['account', 'Account'],
  ['account_external_truck_identifier', 'AccountExternalTruckIdentifier'],
  ['add_on', 'AddOn'],
  ['add_on_charge', 'AddOnCharge'],
  ['app_user', 'User', [...POSITION, 'last_login_at', 'search_text', 'match_email']],
  ['auto_add_on_assignment', 'AutoAddOnAssignment'],
  ['bulk_action', 'BulkAction', ['next_at', 'lease_until', 'attempts']],
  ['bulk_download', 'BulkDownload', ['attempts', 'due_at']],
  ['company', 'Company'],
  ['company_share', 'CompanyShare'],
  ['compliance_document_type', 'ComplianceDocumentType'],
  ['department', 'Department'],
  ['driver_day', 'DriverDay'],
  ['equipment', 'Equipment'],
  ['equipment_type', 'EquipmentType'],
  ['file_attachment', 'FileAttachment', ['preview_due_at', 'preview_attempts']],
  ['fuel_price_index', 'FuelPriceIndex'],
  ['fuel_surcharge_schedule', 'FuelSurchargeSchedule'],
  ['iam_role', 'IamRole'],
  ['import_batch', 'ImportBatch'],
  ['imported_record', 'ImportedRecord', ['next_attempt_at']],
  ['invoice', 'Invoice'],
  ['job', 'Job'],
  ['job_assignment', 'JobAssignment'],
  ['label', 'Label'],
  ['load', 'Load'],
  ['machine_client', 'M2MClient', ['last_used_at']],
  ['material', 'Material'],
  ['material_rate', 'MaterialRate'],
  ['orders', 'Order'],
  ['project', 'Project'],
  ['rate', 'Rate'],
  ['report', 'Report'],
  ['report_category', 'ReportCategory'],
  ['service', 'Service'],
  ['service_class', 'ServiceClass'],
  ['settlement', 'Settlement'],
  ['site', 'Site', ['search_text', 'match_name']],
  ['sms_integration', 'SmsIntegration'],
  [
    'telematics_fleet',
    'TelematicsFleet',
    ['next_poll_at', 'cursor', 'attempts', 'vehicles_listed_at', 'last_polled_at', 'last_position_at', 'notified_at'],
  ],
  ['telematics_remote_vehicle', 'TelematicsRemoteVehicle', ['last_seen_at']],
  ['ticket', 'Ticket', ['preview_due_at', 'preview_attempts']],
  ['traffic_control_plan', 'TrafficControlPlan'],
  ['webhook_subscription', 'WebhookSubscription', ['last_delivered_at', 'notified_at']],
];

/** Rows that are shown within a record: their changes are changes of it. `r` is the row. */
const PARTS: readonly [table: string, type: string, ids: string][] = [
  ['approval_assignment', 'r.approvable_type', 'r.approvable_id'],
  ['approval_state', 'r.approvable_type', 'r.approvable_id'],
  ['ai_review', `'Load'`, 'r.load_id'],
  ['bulk_action_item', `'BulkAction'`, 'r.bulk_action_id'],
  ['company_settings', `'Company'`, 'r.company_id'],
  ['compliance_document', 'r.compliant_type', 'r.compliant_id'],
  ['default_site', `case when r.order_id is null then 'Project' else 'Order' end`, 'coalesce(r.order_id, r.project_id)'],
  ['driver_state_event', `'DriverDay'`, 'r.driver_day_id'],
  ['fuel_price', `'FuelPriceIndex'`, 'r.fuel_price_index_id'],
  ['fuel_surcharge_schedule_price', `'FuelSurchargeSchedule'`, 'r.fuel_surcharge_schedule_id'],
  ['imported_record', `'ImportBatch'`, 'r.batch_id'],
  ['invoice_line_item', `'Invoice'`, 'r.invoice_id'],
  ['job_assignment', `'Job'`, 'r.job_id'],
  ['job_event', `'Job'`, 'r.job_id'],
  ['moving_site', `'Site'`, 'r.site_id'],
  ['phase', `case when r.order_id is null then 'Project' else 'Order' end`, 'coalesce(r.order_id, r.project_id)'],
  ['project_material', `'Project'`, 'r.project_id'],
  ['resource_scope', `'User'`, 'r.user_id'],
  ['routing_geofence', `'Site'`, 'r.site_id'],
  ['scheduled_time_off', `'User'`, 'r.user_id'],
  ['settlement_email_delivery', `'Settlement'`, 'r.settlement_id'],
  ['settlement_export', `'Settlement'`, 'r.settlement_id'],
  ['settlement_invoice', `'Settlement'`, 'r.settlement_id'],
  ['signature', `case when r.job_id is null then 'DriverDay' else 'Job' end`, 'coalesce(r.job_id, r.driver_day_id)'],
  ['ticket_amendment', `'Ticket'`, 'r.ticket_id'],
  ['ticket_reading', `'Ticket'`, 'r.ticket_id'],
  ['user_device_permission', `'User'`, 'r.user_id'],
];

/** Rows by which another company sees a record, or sees it no longer. */
const SIGHTS: readonly [table: string, type: string, ids: string, reader: string][] = [
  ['job_assignment', `'Job'`, 'r.job_id', 'r.vendor_company_id'],
  ['job_assignment', `'JobAssignment'`, 'r.id', 'r.vendor_company_id'],
  ['job_assignment', `'Order'`, '(select j.order_id from job j where j.id = r.job_id)', 'r.vendor_company_id'],
  ['job_assignment', `'Load'`, '(select l.id from load l where l.job_id = r.job_id)', 'r.vendor_company_id'],
  [
    'job_assignment',
    `'FileAttachment'`,
    `(select f.id from file_attachment f where f.file_attachable_type = 'Job' and f.file_attachable_id = r.job_id
      union all select f.id from load l join file_attachment f on f.file_attachable_type = 'Load' and f.file_attachable_id = l.id where l.job_id = r.job_id)`,
    'r.vendor_company_id',
  ],
  ['job_assignment', `'DriverDay'`, '(select j.driver_day_id from job j where j.id = r.job_id)', 'r.customer_company_id'],
  ['job', `'DriverDay'`, 'r.driver_day_id', '(select a.customer_company_id from job_assignment a where a.job_id = r.id)'],
  ['company_share', `'CompanyShare'`, 'r.id', 'r.receiver_company_id'],
  ['invoice', `'Invoice'`, 'r.id', 'r.sent_to_company_id'],
  ['settlement', `'Settlement'`, 'r.id', 'r.sent_to_company_id'],
  ['add_on_charge', `'AddOnCharge'`, 'r.id', 'r.sent_to_company_id'],
];

/** What is done in place of a scalar: a subquery may have several rows. */
const rowsOf = (sql: string) => (sql.startsWith('(') ? sql : `(select ${sql})`);
const list = (names: readonly string[]) => `array[${names.map((name) => `'${name}'`).join(', ')}]::text[]`;

/**
 * Every change of records, noted by triggers in the transaction that makes it, whoever makes it; and the feed of each company, into which they
 * are moved after the commit, in one order (src/events/changes, docs/decisions/events.md).
 */
export class NoteChanges extends Migration {
  override up(): void {
    this.addSql(`
      -- What transactions changed, and nobody has moved into the feeds yet. No request reads or writes it: triggers do.
      create table change_pending (
        id bigint generated always as identity primary key,
        writer xid8 not null default pg_current_xact_id(),
        company_id uuid not null,
        -- A company that sees the record, or does no longer, by what was changed; null for all that see it.
        reader_id uuid,
        subject_type text not null,
        subject_id uuid not null,
        kind text not null,
        previous_state text,
        state text,
        changed_at timestamptz(6) not null default now()
      ) with (autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 1000);

      create table change_feed (
        company_id uuid primary key references company (id) on delete cascade,
        -- Of the last change.
        position bigint not null,
        -- Changes up to this position were deleted.
        begins_after bigint not null default 0
      ) with (fillfactor = 50);

      create table change_entry (
        company_id uuid not null references change_feed (company_id) on delete cascade,
        position bigint not null,
        -- To whom the record belongs.
        owner_company_id uuid not null,
        subject_type text not null,
        subject_id uuid not null,
        kind text not null check (kind in ('create', 'update', 'state_change', 'delete')),
        previous_state text,
        state text,
        changed_at timestamptz(6) not null,
        moved_at timestamptz(6) not null default clock_timestamp(),
        primary key (company_id, position)
      );
      -- What is deleted after its time.
      create index change_entry_moved_idx on change_entry (moved_at);

      -- Which records a reader saw in the feed who sees only some: it learns that it sees one no longer, and nothing of any other.
      create table change_sight (
        company_id uuid not null references company (id) on delete cascade,
        -- The company for records of others, the person or client who is limited to some records otherwise.
        reader_id uuid not null,
        subject_id uuid not null,
        subject_type text not null,
        -- The position at which it was first not seen any more; null while it is seen.
        lost_at bigint,
        primary key (company_id, reader_id, subject_id)
      );
      -- Which companies are to learn of a change.
      create index change_sight_subject_idx on change_sight (subject_id) where lost_at is null`);
    this.addSql(`
      -- Has every change of a table's rows noted. r is the row in each of the expressions. p_kept: a record itself, not a part of one.
      create function watch_changes(p_table text, p_type text, p_ids text, p_company text, p_reader text, p_kept boolean, p_unnoticed text[]) returns void
      language plpgsql as $watch$
      declare
        part text := substr(md5(concat(p_table, p_type, p_ids, p_reader)), 1, 8);
        fn text := format('note_%s_%s', p_table, part);
        state text := case when p_kept and exists (select from pg_attribute where attrelid = p_table::regclass and attname = 'state' and not attisdropped)
          then 'state::text' end;
        -- Which rows are the same one before and after: by the primary key, which is not always an id.
        same text := (select string_agg(format('o.%1$I = r.%1$I', a.attname), ' and ') from pg_index i
          join pg_attribute a on a.attrelid = i.indrelid and a.attnum = any(i.indkey) where i.indrelid = p_table::regclass and i.indisprimary);
        differs text := case when cardinality(p_unnoticed) = 0 then 'n *<> o' else format('(to_jsonb(n) - %L::text[]) <> (to_jsonb(o) - %L::text[])', p_unnoticed, p_unnoticed) end;
        into_pending text := 'insert into change_pending (company_id, reader_id, subject_type, subject_id, kind, previous_state, state)';
        -- %1$s: the rows; %2$s: kind, state before and state.
        choose text := 'select distinct ' || p_company || ', reader.id, ' || p_type || ', subject.id, %2$s from %1$s
          cross join lateral ' || p_ids || ' subject (id) cross join lateral ' || coalesce(p_reader, '(select null::uuid)') || ' reader (id)
          where subject.id is not null and ' || p_company || ' is not null' || case when p_reader is null then '' else ' and reader.id is not null' end;
      begin
        execute format('create function %I() returns trigger language plpgsql security definer set search_path = public, pg_temp as $f$ begin
            if tg_op = ''INSERT'' then %s;
            elsif tg_op = ''DELETE'' then %s;
            else %s; end if;
            return null; end $f$', fn,
          into_pending || ' ' || format(choose, 'new_rows r', case when p_kept then '''create'', null::text, ' || coalesce('r.' || state, 'null::text') else '''update'', null::text, null::text' end),
          into_pending || ' ' || format(choose, 'old_rows r', case when p_kept then '''delete'', null::text, null::text' else '''update'', null::text, null::text' end),
          case when p_kept then into_pending || ' ' || replace(
              format(choose, 'new_rows r join old_rows o on ' || same,
                case when state is null then '''update'', null::text, null::text'
                  else 'case when o.state is distinct from r.state then ''state_change'' else ''update'' end,
                    case when o.state is distinct from r.state then o.state::text end, case when o.state is distinct from r.state then r.state::text end' end)
                || ' and ' || replace(differs, 'to_jsonb(n)', 'to_jsonb(r)'), 'n *<> o', 'r *<> o')
            else into_pending || ' ' || format(choose, format('(select n.* from new_rows n join old_rows o on %2$s where %1$s
                union all select o.* from new_rows n join old_rows o on %2$s where %1$s) r', differs, replace(same, ' r.', ' n.')), '''update'', null::text, null::text') end);
        execute format('create trigger %I after insert on %I referencing new table as new_rows for each statement execute function %I()', fn || '_insert', p_table, fn);
        execute format('create trigger %I after update on %I referencing old table as old_rows new table as new_rows for each statement execute function %I()', fn || '_update', p_table, fn);
        execute format('create trigger %I after delete on %I referencing old table as old_rows for each statement execute function %I()', fn || '_delete', p_table, fn);
      end $watch$`);
    for (const [table, type, unnoticed = []] of RECORDS)
      this.#watch(table, `'${type}'`, 'r.id', table === 'company' ? 'r.id' : 'r.company_id', null, true, unnoticed);
    for (const [table, type, ids] of PARTS) this.#watch(table, type, ids, 'r.company_id', null, false, []);
    for (const [table, type, ids, reader] of SIGHTS) this.#watch(table, type, ids, 'r.company_id', reader, false, []);
    this.#addMoving();
  }

  #watch(table: string, type: string, ids: string, company: string, reader: string | null, kept: boolean, unnoticed: string[]): void {
    const text = (value: string) => `$sql$${value}$sql$`;
    this.addSql(
      `select watch_changes('${table}', ${text(type)}, ${text(rowsOf(ids))}, '${company}', ${reader === null ? 'null' : text(rowsOf(reader))}, ${kept}, ${list(unnoticed)})`,
    );
  }

  /** What moves changes into feeds, and knows who sees the record of another company. */
  #addMoving(): void {
    this.addSql(`
      -- The companies that may see a record of another one, or saw it. The planner decides whether they do.
      create function change_readers(p_type text, p_id uuid) returns setof uuid language plpgsql stable as $$
      begin
        if p_type = 'Job' then
          return query select a.vendor_company_id from job_assignment a where a.job_id = p_id;
        elsif p_type = 'Load' then
          return query select a.vendor_company_id from load l join job_assignment a on a.job_id = l.job_id where l.id = p_id;
        elsif p_type = 'Order' then
          return query select a.vendor_company_id from job j join job_assignment a on a.job_id = j.id where j.order_id = p_id;
        elsif p_type = 'JobAssignment' then
          return query select a.vendor_company_id from job_assignment a where a.id = p_id;
        elsif p_type = 'FileAttachment' then
          return query select a.vendor_company_id from file_attachment f
            left join load l on f.file_attachable_type = 'Load' and l.id = f.file_attachable_id
            join job_assignment a on a.job_id = case f.file_attachable_type when 'Job' then f.file_attachable_id else l.job_id end where f.id = p_id;
        elsif p_type = 'DriverDay' then
          return query select a.customer_company_id from job j join job_assignment a on a.job_id = j.id where j.driver_day_id = p_id;
        elsif p_type = 'CompanyShare' then
          return query select s.receiver_company_id from company_share s where s.id = p_id;
        elsif p_type = 'Invoice' then
          return query select i.sent_to_company_id from invoice i where i.id = p_id;
        elsif p_type = 'Settlement' then
          return query select s.sent_to_company_id from settlement s where s.id = p_id;
        elsif p_type = 'AddOnCharge' then
          return query select c.sent_to_company_id from add_on_charge c where c.id = p_id;
        else
          return;
        end if;
        return query select s.company_id from change_sight s where s.subject_id = p_id and s.lost_at is null;
      end $$`);
    this.addSql(`
      -- Moves committed changes into the feeds of those who may see them. One mover at a time, each of which sees all that those before it moved: so the
      -- positions of a feed are in the order in which they become visible, whatever the order in which transactions began, and never a gap is filled later.
      create function move_changes(p_most integer) returns integer language plpgsql security definer set search_path = public, pg_temp as $$
      declare
        moved integer;
      begin
        if not exists (select from change_pending) then return 0; end if;
        perform pg_advisory_xact_lock(7320447561);
        with taken as (
            delete from change_pending where id in (select id from change_pending order by id limit p_most) returning *),
          -- What a transaction did to a record is one change.
          together as (
            select writer, reader_id, subject_type, subject_id, max(id) as id, (array_agg(company_id))[1] as company_id, max(changed_at) as changed_at,
              bool_or(kind = 'create') as made, bool_or(kind = 'delete') as gone, bool_or(kind = 'state_change') as driven,
              (array_agg(previous_state order by id) filter (where kind = 'state_change'))[1] as previous_state,
              (array_agg(state order by id desc) filter (where kind in ('create', 'state_change')))[1] as state
            from taken group by writer, reader_id, subject_type, subject_id),
          changes as (
            select *, case when gone then 'delete' when made then 'create' when driven and previous_state is distinct from state then 'state_change' else 'update' end as kind
            from together where not (made and gone)),
          addressed as (
            select c.*, c.company_id as feed from changes c where c.reader_id is null
            union all select c.*, r.id from changes c cross join lateral change_readers(c.subject_type, c.subject_id) r (id)
              where c.reader_id is null and r.id <> c.company_id
            union all select c.*, c.reader_id from changes c where c.reader_id <> c.company_id),
          distinct_ones as (
            select distinct on (feed, writer, subject_type, subject_id) a.* from addressed a join company k on k.id = a.feed
            order by feed, writer, subject_type, subject_id, reader_id nulls first, id),
          counted as (
            insert into change_feed (company_id, position) select feed, count(*) from distinct_ones group by feed order by feed
            on conflict (company_id) do update set position = change_feed.position + excluded.position
            returning company_id, position)
        insert into change_entry (company_id, position, owner_company_id, subject_type, subject_id, kind, previous_state, state, changed_at)
        select d.feed, c.position - count(*) over (partition by d.feed) + row_number() over (partition by d.feed order by d.id),
          d.company_id, d.subject_type, d.subject_id, d.kind,
          case when d.kind = 'state_change' then d.previous_state end, case when d.kind in ('create', 'state_change') then d.state end, d.changed_at
        from distinct_ones d join counted c on c.company_id = d.feed;
        -- As many as were taken decide whether there may be more.
        select count(*) into moved from (select from change_pending limit 1) more;
        return moved;
      end $$`);
    this.addSql(`
      -- Work that somebody who is limited to some of it may begin or cease to see when an order or a job changes.
      create function change_surroundings(p_type text, p_id uuid) returns table (type text, id uuid) language sql stable as $$
        select 'Job', j.id from job j where p_type = 'Order' and j.order_id = p_id
        union all select 'Load', l.id from load l where p_type = 'Order' and l.order_id = p_id or p_type = 'Job' and l.job_id = p_id
        union all select 'Ticket', t.id from ticket t where p_type = 'Order' and t.order_id = p_id or p_type = 'Job' and t.job_id = p_id
        union all select 'Order', j.order_id from job j where p_type = 'Job' and j.id = p_id
        union all select 'JobAssignment', a.id from job_assignment a join job j on j.id = a.job_id
          where p_type = 'Order' and j.order_id = p_id or p_type = 'Job' and j.id = p_id
        union all select 'DriverDay', j.driver_day_id from job j
          where j.driver_day_id is not null and (p_type = 'Order' and j.order_id = p_id or p_type = 'Job' and j.id = p_id)
        union all select 'FileAttachment', f.id from file_attachment f where f.file_attachable_type = p_type and f.file_attachable_id = p_id
      $$`);
  }
}
