import { RECORD_TYPES } from '../../events/changes/record-types.ts';
import { TEST_EVENT } from '../../events/webhooks/triggers.ts';
import { type Invariant, isGone, isMoving, listOf, missing, union } from './invariant.ts';

/** The kinds of imported records, and the tables of what they become. */
const IMPORTED = { order: 'orders', project: 'project', ticket: 'ticket' };
/** Work that webhooks and the feed report. */
const REPORTED = { Order: 'orders', Job: 'job', Load: 'load', Ticket: 'ticket' };

/**
 * SQL: an id that was drawn more than a day ago, because ids begin with their time. Rows of the last day are found by their primary key with it, whatever
 * a process's clock says that is not an hour behind.
 */
const A_DAY_OLD = `(lpad(to_hex((extract(epoch from now() - interval '25 hours') * 1000)::bigint), 12, '0') || repeat('0', 20))::uuid`;
/**
 * SQL: who is informed of what (`trigger_names`) of which company (`source`), and since when: its own, and those below it. A transaction that began just
 * before somebody subscribed, or before the company came below them, does not know of it. Whatever else somebody does to a subscription, such as to test it,
 * changes nothing of that.
 */
const watchedSince = (interval: string): string => `recursive watched (id, company_id, source, children, trigger_names, at) as (
    select s.id, s.company_id, s.company_id, s.include_children, s.trigger_names, interval '1 minute' + greatest(s.created_at, now() - interval '${interval}',
      (select max(a.created_at) from audit_entry a where a.company_id = s.company_id and a.subject_type = 'WebhookSubscription' and a.subject_id = s.id and a.event = 'update'
        and a.object_changes ?| array['trigger_names', 'include_children']))
    from webhook_subscription s join company c on c.id = s.company_id and c.discarded_at is null
    union all select w.id, w.company_id, c.id, w.children, w.trigger_names, greatest(w.at, c.updated_at + interval '1 minute')
    from watched w join company c on c.parent_company_id = w.source and c.discarded_at is null where w.children)`;

/**
 * What one subscription hears of one record. What should have been sent and what was are laid next to each other by it, and sorted: a join would compare
 * each with each if PostgreSQL expects little of one side, which it does of rows that several conditions choose. With 300,000 of both it never ended.
 */
const EVENT = 'subscription_id, subject_id, trigger';

/** The invariants of imports, of messages that were sent, and of the feeds. */
export const INVARIANTS_OF_EVENTS: readonly Invariant[] = [
  {
    name: 'imports_have_their_effect',
    meaning: 'What the ledger says was made of an imported record is there, unless it was deleted since.',
    sql: union(
      IMPORTED,
      (
        kind,
        table,
      ) => `select r.id, r.company_id, 'its ${kind} ' || coalesce(r.result_id::text, '') || ' is missing' as what from imported_record r
        where r.kind = '${kind}' and r.state = 'processed' and (r.result_id is null or ${missing(table, 'r.result_id')}) and not ${isGone('r.result_id')}
        union all select k.result_id, k.company_id, 'the ${kind} of key ' || k.imported_for || ' is missing' from import_key k
        where k.kind = '${kind}' and k.result_id is not null and ${missing(table, 'k.result_id')} and not ${isGone('k.result_id')}`,
    ),
  },
  {
    name: 'open_imports_have_work',
    meaning: 'An imported record without an outcome is in the queue, and what is in the queue is an imported record without one.',
    sql: `select r.id, r.company_id, 'open and not in the queue' as what from imported_record r where r.state = 'created' and ${missing('import_task', 'r.id')}
      union all select t.id, t.company_id, 'in the queue and ' || coalesce(r.state, 'unknown') from import_task t left join imported_record r on r.id = t.id
      where r.id is null or r.state in ('processed', 'skipped', 'exhausted')`,
  },
  {
    name: 'deliveries_are_numbered',
    meaning:
      'Each event that is sent to a subscription has a number of its record that was given out, once for each subscription, and is either due, delivered or given up.',
    // A test is of no record, which could have given it a number.
    sql: `select d.id, d.company_id, 'number ' || d.sequence || ' of ' || coalesce(r.sequence::text, 'none') as what from webhook_delivery d
        left join webhook_record r on r.subject_id = d.subject_id
        where d.trigger <> '${TEST_EVENT}' and (r.sequence is null or d.sequence > r.sequence or d.sequence < 1)
      -- An event that was sent again has several deliveries.
      union all select (min(e.id::text))::uuid, e.company_id, count(*) || ' events with the number ' || e.sequence
        from (select subscription_id, subject_id, sequence from webhook_delivery group by 1, 2, 3 having count(*) > 1) d
          join webhook_delivery e using (subscription_id, subject_id, sequence)
        group by e.company_id, subscription_id, subject_id, e.sequence having count(distinct e.event_id) > 1
      union all select id, company_id, state || ' without its time' from webhook_delivery
        where (state = 'pending' and due_at is null) or (state = 'delivered' and delivered_at is null)`,
  },
  {
    name: 'changes_of_state_are_sent',
    meaning:
      'Each change of the state of an order, a job, a load or a ticket is sent to those of its company, and of the companies above it, who have subscribed to it since before.',
    // A record that is deleted in the transaction that moved it is not sent.
    sql: `with ${watchedSince('29 days')},
      due as (
        select t.id, t.company_id, w.id as subscription_id, t.subject_id, t.subject_type || '::state_change' as trigger, t.created_at as at, t.to_state as state
        from watched w join transition t on t.company_id = w.source and t.created_at > w.at and t.subject_type in (${listOf(Object.keys(REPORTED))})
          and t.subject_type || '::state_change' = any(w.trigger_names))
      select id, company_id, split_part(trigger, '::', 1) || ' ' || subject_id || ' came to ' || state || ', and it was not sent to ' || subscription_id as what
      from (select *, bool_or(sent) over (partition by ${EVENT}, at, state) as is_sent from (
        select *, false as sent from due
        union all select null, company_id, ${EVENT}, event_time, change ->> 'state', true from webhook_delivery
          where event_time > now() - interval '29 days' and trigger like '%::state_change') both_sides) seen
      where not is_sent and not ${isGone('subject_id')}`,
  },
  {
    name: 'changes_are_sent',
    meaning:
      'What the feed and the audit log of the last day say was made or changed of work and of imports, and what an automation failed at, is sent to those of its company, and of the companies above it, who have subscribed to it since before.',
    // Imports may be written with the time of a process, whose clock is not quite that of the database.
    sql: `with ${watchedSince('1 day')},
      kept as (
        select e.company_id, e.subject_type, e.subject_id, e.kind, e.state, date_trunc('milliseconds', e.changed_at) as at from change_entry e
        where e.moved_at > now() - interval '1 day' and e.company_id = e.owner_company_id and e.kind in ('create', 'state_change')
          and e.subject_type in (${listOf([...Object.keys(REPORTED), 'ImportedRecord'])})),
      imported as (select k.*, 'Imported' || initcap(r.kind) as topic from kept k join imported_record r on r.id = k.subject_id where k.subject_type = 'ImportedRecord'),
      happened (company_id, subject_id, trigger, at) as (
        select company_id, subject_id, subject_type || '::' || kind, at from kept where subject_type <> 'ImportedRecord'
        union all select company_id, subject_id, topic || '::' || kind, at from imported
        union all select company_id, subject_id, topic || case when state like 'skipped%' then '::skip' else '::error' end, at from imported
          where state in ('skipped', 'skipped_update', 'failed', 'exhausted')
        union all select a.company_id, a.subject_id, a.subject_type || '::update', a.created_at from audit_entry a
          where a.id > ${A_DAY_OLD} and a.created_at > now() - interval '1 day' and a.event = 'update' and not a.object_changes ? 'state'
            and a.subject_type in (${listOf(Object.keys(REPORTED))})
            -- A change of the state is not an update as well, and what is made is not updated.
            and not exists (select from transition t where t.subject_id = a.subject_id and t.created_at = a.created_at)
            and not exists (select from audit_entry s where s.company_id = a.company_id and s.subject_type = a.subject_type and s.subject_id = a.subject_id
              and s.created_at = a.created_at and (s.event <> 'update' or s.object_changes ? 'state'))
            and ((a.subject_id, a.created_at) in (select k.subject_id, k.at from kept k where k.kind = 'create')) is not true
        union all select o.company_id, o.subject_id, o.subject_type || '::error', o.created_at from outbox_event o
          where o.id > ${A_DAY_OLD} and o.created_at > now() - interval '1 day' and o.name like '%.automation_failed'),
      due as (
        select h.company_id, w.id as subscription_id, h.subject_id, h.trigger, h.at
        from watched w join happened h on h.company_id = w.source and h.at > w.at and h.trigger = any(w.trigger_names))
      select subject_id as id, company_id, trigger || ' at ' || at || ' was not sent to ' || subscription_id as what
      from (select *, bool_or(sent) over (partition by ${EVENT}, at) as is_sent,
          bool_or(sent) over (partition by ${EVENT} order by at range between interval '10 seconds' preceding and interval '10 seconds' following) as is_about_sent
        from (select *, false as sent from due
          union all select company_id, ${EVENT}, event_time, true from webhook_delivery where event_time > now() - interval '25 hours') both_sides) seen
      where not sent and not case when trigger like 'Imported%' then is_about_sent else is_sent end and not ${isGone('subject_id')}`,
  },
  {
    name: 'deliveries_are_in_feeds',
    meaning:
      'What was sent in the last day of what was made, and of changes of the state, has an entry in the feed of its company, unless it is still to be moved.',
    // Imports may be written with the time of a process, whose clock is not quite that of the database. Without a delivery no feed is read.
    sql: `with sent as (select id, company_id, source_company_id, subject_id, trigger, event_time from webhook_delivery
        where created_at > now() - interval '1 day' and event_time > now() - interval '1 day' and split_part(trigger, '::', 2) in ('create', 'state_change'))
      select id, company_id, trigger || ' of ' || subject_id || ' at ' || at || ' is not in the feed' as what
      from (select *, bool_or(is_entry) over (partition by source, subject_id order by at range between current row and interval '1 millisecond' following) as is_there,
          bool_or(is_entry) over (partition by source, subject_id order by at
            range between interval '10 seconds' preceding and interval '10.001 seconds' following) as is_about_there
        from (select id, company_id, source_company_id as source, subject_id, trigger, event_time as at, false as is_entry from sent
          union all select null, e.company_id, e.company_id, e.subject_id, null, e.changed_at, true
            from (select distinct source_company_id from sent) s join change_entry e on e.company_id = s.source_company_id
            where e.moved_at > now() - interval '25 hours') both_sides) seen
      where not is_entry and not case when trigger like 'Imported%' then is_about_there else is_there end
        and not ${isMoving('subject_id')} and not ${isGone('subject_id')}`,
  },
  {
    name: 'events_are_in_feeds',
    meaning:
      'What the outbox of the last day says was made, deleted, or moved to another state has an entry of the same transaction in the feed of its company, unless it is still to be moved.',
    // Other events say that somebody asked for something, which may have changed nothing. What a transaction made and deleted is in no feed.
    sql: `with begun as (
        select f.company_id, date_trunc('milliseconds', e.changed_at) as at from change_feed f cross join lateral (
          select changed_at from change_entry where company_id = f.company_id order by position limit 1) e),
      kept as (select company_id, subject_id, date_trunc('milliseconds', changed_at) as at from change_entry where moved_at > now() - interval '25 hours')
      select o.id, o.company_id, o.name || ' of ' || o.subject_id || ' at ' || o.created_at || ' is not in the feed' as what
      from begun b join outbox_event o on o.company_id = b.company_id and o.created_at >= b.at
      where o.id > ${A_DAY_OLD} and o.created_at > now() - interval '1 day' and o.subject_type in (${listOf(RECORD_TYPES)})
        and (o.name like '%.created' or o.name like '%.deleted' or o.payload ? 'state_event')
        and not exists (select from kept k where k.company_id = o.company_id and k.subject_id = o.subject_id and k.at = o.created_at)
        and not ${isMoving('o.subject_id')}
        and not exists (select from audit_entry a where a.company_id = o.company_id and a.subject_type = o.subject_type and a.subject_id = o.subject_id
          and a.created_at = o.created_at and a.event = 'destroy' and (o.name not like '%.deleted' or exists (
            select from outbox_event c where c.id > ${A_DAY_OLD} and c.subject_id = o.subject_id and c.created_at = o.created_at and c.name like '%.created')))`,
  },
  {
    name: 'feeds_have_no_gaps',
    meaning: 'A feed has an entry at each of its positions, from where it begins to its end.',
    sql: `with kept as (select company_id, count(*) as entries, min(position) as first, max(position) as last from change_entry group by company_id)
      select f.company_id as id, f.company_id, coalesce(k.entries, 0) || ' entries from ' || coalesce(k.first, 0) || ' to ' || coalesce(k.last, 0) || ', of '
        || f.begins_after + 1 || ' to ' || f.position as what
      from change_feed f left join kept k using (company_id)
      where coalesce(k.entries, 0) <> f.position - f.begins_after or k.first <= f.begins_after or k.last <> f.position`,
  },
  {
    name: 'feeds_have_the_last_changes',
    meaning:
      'The last entry of an order, job, load or ticket that was changed in the last day is not older than the record, unless it is still to be moved.',
    // Some records are written with the time of a process, whose clock is not quite that of the database.
    sql: `with newest as (
        select subject_id, max(moved_at) as at from change_entry
        where moved_at > now() - interval '1 day' and company_id = owner_company_id group by subject_id),
      begun as (select f.company_id, greatest(e.moved_at, now() - interval '1 day') as at from change_feed f cross join lateral (
        select moved_at from change_entry where company_id = f.company_id order by position limit 1) e)
      ${union(
        REPORTED,
        (
          name,
          table,
        ) => `select r.id, r.company_id, '${name} changed at ' || r.updated_at || ', in the feed at ' || coalesce(n.at::text, 'no time') as what
        from begun b join ${table} r on r.company_id = b.company_id and r.updated_at > b.at left join newest n on n.subject_id = r.id
        where (n.at is null or n.at < r.updated_at - interval '10 seconds') and not ${isMoving('r.id')}`,
      )}`,
  },
];
