import { expect } from '@jest/globals';
import { noteEndedShares } from '../../../src/events/changes/ended-shares.ts';
import { feedOf, Replica } from '../../events/follower.ts';
import type { Visible } from './facts.ts';
import { type Json, type Reader, rowsOf, type Side, type World } from './scene.ts';

/** The types of which the feed has exactly what the rules say. */
const TYPES = [
  'Order',
  'Job',
  'Load',
  'JobAssignment',
  'CompanyShare',
  'Site',
  'Equipment',
  'Invoice',
  'Settlement',
  'FileAttachment',
  'Ticket',
];

const keysOf = (copy: Replica): string[] => [...copy.records.keys()].sort();

/** Of the moment, as the guide says: sums of what is no work, where somebody is, and for how long an address opens. */
const OF_THE_MOMENT = /(^gps_status|_url|last_ping_at|payables|receivables|file_attachments_count|^company_day_driver_stat)$/;
/** Of some types, too. Orders, jobs and days change with the tickets that they count, an invoice does not; and a ticket shows names of its job's records. */
const ALSO_OF_THE_MOMENT: Readonly<Record<string, RegExp>> = {
  Invoice: /^(tickets_count|job_summary)$/,
  Ticket: /^(customer|project|dispatch_number|equipment|driver|vendor|material|pickup_site|dropoff_site)_name$/,
};
/** Records within others that are a part of these; of any other one a record only says which it is, and what it is called is of the moment. */
const PARTS = /^(vendor_job_assignment|customer_job_assignment|company_share|connected_account|approval_status|phase|phases|ai_review)$/;

function kept(value: Json, name = '', depth = 0): Json {
  if (Array.isArray(value)) return value.map((one) => kept(one, name, depth));
  if (value === null || typeof value !== 'object') return value;
  if (depth > 0 && 'id' in value && !PARTS.test(name)) return { id: value.id };
  const fields = Object.entries(value).filter(([field]) => !OF_THE_MOMENT.test(field));
  return Object.fromEntries(fields.map(([field, one]) => [field, kept(one, field, depth + 1)]));
}

/** What differs between two copies, so that it can be read. */
function differences(copy: Replica, fresh: Replica): Json[] {
  const found: Json[] = [];
  for (const [key, shown] of fresh.records) {
    if (!copy.records.has(key)) continue;
    const [then, now] = [kept(copy.records.get(key)), kept(shown)];
    const ofTheMoment = ALSO_OF_THE_MOMENT[key.split(' ')[0]!];
    const fields = Object.keys(now).filter((name) => !ofTheMoment?.test(name) && JSON.stringify(now[name]) !== JSON.stringify(then[name]));
    if (fields.length > 0) found.push([key, Object.fromEntries(fields.map((name) => [name, [then[name], now[name]]]))]);
  }
  return found;
}

/** A copy that followed the feed has what a snapshot has now, and both have what the rules say; so has one that is read from the beginning. */
export async function compareFeed(world: World, reader: Reader, visible: Visible, fromBeginning: boolean): Promise<void> {
  await noteEndedShares(world.app.productOrm.em.fork());
  const { side, token, name: by } = reader;
  const { status } = await feedOf(side, `?after=${reader.copy.position}&limit=1`, token);
  // Somebody whose rights were changed begins again.
  if (status === 410) reader.copy = await new Replica(side, token).begin();
  const before = new Set(reader.copy.records.keys());
  const said = await entriesAfter(side, reader.copy.position, token);
  await reader.copy.follow();
  const fresh = await new Replica(side, token).begin();
  expect([by, 'feed', keysOf(reader.copy).filter((key) => !fresh.records.has(key))]).toEqual([by, 'feed', []]);
  expect([by, 'snapshot', keysOf(fresh).filter((key) => !reader.copy.records.has(key))]).toEqual([by, 'snapshot', []]);
  expect([by, 'values of the feed', differences(reader.copy, fresh)]).toEqual([by, 'values of the feed', []]);
  for (const type of TYPES) {
    if (!visible[type]) continue;
    const seen = keysOf(fresh).flatMap((key) => (key.startsWith(`${type} `) ? [key.slice(type.length + 1)] : []));
    expect([by, 'feed', type, seen]).toEqual([by, 'feed', type, [...visible[type]].sort()]);
  }
  // Of a link between two others nothing is said, not even that it has ended.
  const shown = new Set(before);
  for (const { type, id, event, record } of said) {
    if (type === 'JobAssignment' && !record && !shown.has(`${type} ${id}`)) {
      const sides = world.links.get(id) ?? (await sidesOf(world, id));
      expect([by, type, id, event, sides.includes(side.company.id)]).toEqual([by, type, id, event, true]);
    }
    if (record) shown.add(`${type} ${id}`);
  }
  // Into what a record was merged is said to those who see that.
  const others = new Set(
    (
      await rowsOf(world.app, 'select id from site where company_id <> ? union all select id from equipment where company_id <> ?', [
        side.company.id,
        side.company.id,
      ])
    ).map(({ id }) => id),
  );
  const hidden = said.filter(({ type, merged_into: into }) => others.has(into) && !fresh.records.has(`${type} ${into}`));
  expect([by, 'merged into', hidden]).toEqual([by, 'merged into', []]);
  if (!fromBeginning) return;
  const replayed = new Replica(side, token);
  replayed.position = '0';
  await replayed.follow();
  expect([by, 'replayed', keysOf(replayed)]).toEqual([by, 'replayed', keysOf(fresh)]);
  expect([by, 'values that were replayed', differences(replayed, fresh)]).toEqual([by, 'values that were replayed', []]);
}

/** Whose sides a link had that came and went in one step, by the log. */
async function sidesOf(world: World, id: string): Promise<string[]> {
  const rows = await rowsOf(world.app, 'select object_changes as changes from audit_entry where subject_id = ?', [id]);
  return rows.flatMap(({ changes }) => ['customer_company_id', 'vendor_company_id'].flatMap((column) => changes[column] ?? []));
}

async function entriesAfter(side: Side, after: string, token: string): Promise<Json[]> {
  const all: Json[] = [];
  for (let at = after, more = true; more; ) {
    const { body } = await feedOf(side, `?after=${at}&limit=100`, token);
    all.push(...body.data);
    at = body.meta.position;
    more = body.meta.has_more;
  }
  return all;
}

const RECORD = { Order: 'orders', Job: 'job', Load: 'load', Ticket: 'ticket' } as const;

/** What is sent to the webhooks of a company is what its feed says of its own work, one change after the other. */
export async function compareWebhooks(world: World, side: Side): Promise<void> {
  const deliveries = await rowsOf(
    world.app,
    'select trigger, subject_id, sequence, payload, change from webhook_delivery where subscription_id = ? order by subject_id, sequence',
    [side.subscription],
  );
  const bySubject = Map.groupBy(deliveries, ({ subject_id }) => subject_id as string);
  for (const [type, table] of Object.entries(RECORD)) {
    const rows = await rowsOf(world.app, `select id, state, version from "${table}" where company_id = ?`, [side.company.id]);
    for (const { id, state, version } of rows) {
      const sent = bySubject.get(id) ?? [];
      const of = [side.name, type, id];
      expect([...of, sent[0]?.trigger]).toEqual([...of, `${type}::create`]);
      expect([...of, sent.map(({ sequence }) => Number(sequence))]).toEqual([...of, sent.map((_, at) => at + 1)]);
      const states = [sent[0].payload.state];
      for (const { change } of sent.slice(1)) {
        if (change?.state === undefined) continue;
        expect([...of, states, change.previous_state]).toEqual([...of, states, states.at(-1)]);
        states.push(change.state);
      }
      const { payload: last, sequence } = sent.at(-1);
      // The version counts the merge that moved it since, of which there is no webhook.
      const isMoved = Number(sequence) <= (world.moved.get(id) ?? 0);
      expect([...of, last.version <= version]).toEqual([...of, true]);
      expect([...of, states.at(-1), last.state, isMoved ? version : last.version]).toEqual([...of, state, state, version]);
    }
  }
}

/** Answers of which there is no entry: it is done later by a worker. */
const WITHOUT_ENTRY = /\/ingest\//;

/** Everything that was answered as done has an entry in the audit log, under the id of its request. */
export async function compareAudit(world: World): Promise<void> {
  const noted = new Set((await rowsOf(world.app, 'select distinct request_id from audit_entry')).map(({ request_id }) => request_id));
  const missing = world.writes.filter(
    ({ status, requestId, name, changedNothing }) => status < 300 && !changedNothing && !noted.has(requestId) && !WITHOUT_ENTRY.test(name),
  );
  expect(missing).toEqual([]);
}
