import 'reflect-metadata';
import { existsSync, readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { Company } from '../../src/directory/companies/company.entity.ts';
import { PERMISSIONS } from '../../src/identity/access/permissions.ts';
import { makeMachineClient } from '../../src/identity/machine-clients/machine-clients.ts';
import { createOrm } from '../../src/platform/database/orm.ts';
import { checkInvariants, seeOneMoment } from '../../src/reporting/invariants/check-invariants.ts';
import { generate, idSql, SIZE } from './data.ts';
import { openBenchDatabase } from './database.ts';
import { median } from './drive.ts';
import { closing, startProduct, tokenOf } from './start.ts';

/**
 * Measures what an export costs against `COPY ... TO STDOUT` of the same columns, with its memory, and how long the invariants take.
 * `npm run bench:reports [-- --tickets 1000000 --exported 200000 --rounds 3]`, after `npm run build`.
 */
const { values: options } = parseArgs({
  options: {
    tickets: { type: 'string', default: '1000000' },
    exported: { type: 'string', default: '200000' },
    rounds: { type: 'string', default: '3' },
  },
});
const [tickets, exported, rounds] = [Number(options.tickets), Number(options.exported), Number(options.rounds)];
const say = (line: string) => void process.stdout.write(`${line}\n`);

/** The largest company has so many as are exported, each of a load; the others have the rest, some of loads. */
const TICKETS = `with loads as (
    select *, row_number() over (partition by company_id = ${idSql('company', '1')} order by created_at, id) as nth from load),
  placed as (
    select *, row_number() over (order by company_id = ${idSql('company', '1')} desc, nth) as place from loads
    where company_id <> ${idSql('company', '1')} or nth <= ${exported})
  insert into ticket (id, created_at, updated_at, company_id, ticket_number, state, quantity, unit_of_measure, service_date, load_id, job_id, order_id, material_id, notes)
  select ${idSql('ticket', 'n')}, t, t, coalesce(l.company_id, ${idSql('company', '2')}), 'T-' || n, 'approved', 20.25, 'Ton', t, l.id, l.job_id, l.order_id, l.material_id, 'Gate 4'
  from (select n::bigint as n, timestamptz '2026-11-01 06:00Z' + n * interval '1 second' as t from generate_series(1, ${tickets}) n) x
    left join placed l on l.place = x.n`;

/** An invoice of each job, with a line for each of its loads at a price of one. */
const INVOICES = [
  `insert into invoice_line_item (id, company_id, invoice_id, load_id, ordinality, line_item_type, delivered_quantity, quantity, unit_of_measure, rate, total_amount)
   select gen_random_uuid(), l.company_id, ${idSql('invoice', 'l.job_id::text')}, l.id, l.ordinality, 'Freight', q.quantity, q.quantity, 'Ton', 1, q.quantity
   from load l left join ticket t on t.load_id = l.id cross join lateral (select coalesce(t.quantity, l.quantity) as quantity) q`,
  `insert into invoice (id, company_id, side, number, invoice_id, state, job_id, order_id, currency, service_date, posting_date, invoice_line_items_total_amount, total_amount)
   select ${idSql('invoice', 'j.id::text')}, j.company_id, 'receivable', row_number() over (), 'AR-' || row_number() over (), 'created', j.id, j.order_id, 'USD', '2026-11-02',
     '2026-11-02', i.total, i.total
   from job j join (select invoice_id, sum(total_amount) as total from invoice_line_item group by 1) i on i.invoice_id = ${idSql('invoice', 'j.id::text')}`,
];

/** The columns of a ticket as REST shows them, by hand: from its own row, and the names of what it names. */
const BY_HAND = (
  company: string,
) => `select t.id, t.ticket_number, t.created_at, t.updated_at, t.quantity, t.unit_of_measure, t.job_id, t.order_id, m.id, m.name,
    m.external_id, t.preview_id, t.image_id, t.image_url, t.image_mime_type, t.preview_mime_type, t.ocr_ticket_number, t.ocr_net_quantity_ton, t.ocr_processed,
    t.load_id, t.source, t.state, exists (select from ai_review r where r.load_id = t.load_id and r.status = 'duplicate') as found_twice, t.flagged, t.service_date,
    j.job_id as friendly_job_id, a.name as customer, p.name as project, d.name as dispatch_number, e.name as truck, u.first_name || ' ' || u.last_name as driver,
    (select v.name from job_assignment x join account v on v.id = x.vendor_account_id where x.job_id = t.job_id and x.customer_company_id = t.company_id
      order by x.created_at desc limit 1) as vendor, m.name as material_name,
    (select s.name from waypoint w join site s on s.id = w.site_id where w.route_id = j.route_id and w.type = 'pickup' order by w.ordinality limit 1) as pickup,
    (select s.name from waypoint w join site s on s.id = w.site_id where w.route_id = j.route_id and w.type = 'drop_off' order by w.ordinality desc limit 1) as dropoff,
    t.printed_at, t.ocr_ticket_number_confidence, t.ocr_net_quantity_ton_confidence, t.ocr_service_date, t.ocr_service_date_raw_str, t.ai_processed, t.external_truck_id,
    t.external_vendor_name, t.external_material_material_name, t.external_net_weight, t.external_net_weight_unit, t.external_ticket_number, t.notes, t.version
  from ticket t left join material m on m.id = t.material_id left join job j on j.id = t.job_id left join orders o on o.id = t.order_id
    left join account a on a.id = o.account_id left join project p on p.id = o.project_id left join dispatch_number d on d.id = o.dispatch_number_id
    left join equipment e on e.id = j.equipment_id left join app_user u on u.id = j.driver_id
  where t.company_id = '${company}' order by t.created_at, t.id`;

async function main(): Promise<void> {
  const { data, postgres, orm } = await openBenchDatabase('reports', { shared_buffers: '1GB', max_wal_size: '4GB', fsync: 'off' });
  const pool = new pg.Pool({ connectionString: postgres.url, max: 1 });
  closing.push(() => pool.end());
  say(`generating ${SIZE.orders * SIZE.jobsPerOrder * SIZE.loadsPerJob} loads and ${tickets} tickets`);
  // Neither the feed nor the links of histories are measured, and without their triggers there are as many rows in a tenth of the time.
  const fill = async (sql: string) => {
    await pool.query(`set session_replication_role = ${/insert into (load|ticket|invoice)/.test(sql) ? 'replica' : 'origin'}`);
    return pool.query(sql);
  };
  await generate({ query: fill } as unknown as pg.Pool, say);
  for (const sql of [TICKETS, ...INVOICES, 'vacuum analyze']) await fill(sql);
  await pool.query('set session_replication_role = origin');
  await measureInvariants(postgres.url);
  await measureExport(pool, postgres.url, data, await clientOf(orm));
}

const lastKnown = new Map<number, number>();
/** Milliseconds of processor time that processes have used: what a busy machine says of a program, whose duration says little then. */
const processorTime = (pids: readonly number[]): number =>
  pids.reduce((sum, pid) => {
    // Of one that has ended, what was known last.
    const file = `/proc/${pid}/stat`;
    const fields = existsSync(file) ? readFileSync(file, 'utf8').split(') ')[1]!.split(' ') : undefined;
    if (fields) lastKnown.set(pid, (Number(fields[11]) + Number(fields[12])) * 10);
    return sum + (lastKnown.get(pid) ?? 0);
  }, 0);

type Orm = Awaited<ReturnType<typeof createOrm>>;

async function clientOf(orm: Orm): Promise<{ clientId: string; clientSecret: string; companyId: string }> {
  const em = orm.em.fork();
  const company = await em.findOneOrFail(Company, { legalName: 'Company 1' }, { filters: { tenant: false } });
  const { client, clientSecret } = makeMachineClient(em, company, { name: 'Bench', permissions: [...PERMISSIONS] });
  await em.flush();
  return { clientId: client.clientId, clientSecret, companyId: company.id };
}

async function measureInvariants(url: string): Promise<void> {
  const clients = [new pg.Client({ connectionString: url }), new pg.Client({ connectionString: url })] as const;
  closing.push(async () => {
    for (const client of clients) await client.end();
  });
  for (const client of clients) await client.connect();
  const [first, second] = clients.map((client) => async (sql: string) => (await client.query<object>(sql)).rows);
  const pids = clients.map((client) => (client as unknown as { processID: number }).processID);
  for (let round = 0; round < rounds; round++) {
    const [began, used] = [performance.now(), processorTime(pids)];
    await seeOneMoment([first!, second!]);
    const checked = await checkInvariants(first!, second!);
    for (const ask of [first!, second!]) await ask('commit');
    const all = performance.now() - began;
    const slowest = checked
      .toSorted((a, b) => b.milliseconds - a.milliseconds)
      .slice(0, 4)
      .map(({ name, milliseconds }) => `${name} ${milliseconds}`);
    say(`invariants: ${all.toFixed(0)} ms (target under 5000), ${processorTime(pids) - used} ms of processor time: ${slowest.join(', ')}`);
    const broken = checked.filter(({ count }) => count > 0).map(({ name, count }) => `${name} ${count}`);
    if (broken.length > 0) say(`  broken in these data: ${broken.join(', ')}`);
  }
}

async function measureExport(pool: pg.Pool, url: string, data: string, client: Awaited<ReturnType<typeof clientOf>>): Promise<void> {
  const { child, url: at } = await startProduct(url, data, 'web');
  const base = new URL(new URL(at!).origin);
  const token = await tokenOf(base, client.clientId, client.clientSecret);
  const memory = (name: 'VmHWM' | 'VmRSS'): number =>
    Number(new RegExp(`${name}:\\s+(\\d+)`).exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))![1]) / 1024;
  const read = async (accept: string, query = ''): Promise<{ bytes: number; records: number }> => {
    const answer = await fetch(new URL(`/v1/companies/${client.companyId}/tickets${query}`, base), {
      // As COPY, which compresses nothing.
      headers: { authorization: `Bearer ${token}`, accept, 'accept-encoding': 'identity' },
    });
    if (!answer.ok) throw new Error(`the export answers ${answer.status} ${await answer.text()}`);
    let [bytes, records] = [0, 0];
    for await (const part of answer.body!) {
      bytes += part.length;
      for (let i = part.indexOf(10); i >= 0; i = part.indexOf(10, i + 1)) records++;
    }
    return { bytes, records };
  };
  await read('application/json', '?page[limit]=100');
  const idle = memory('VmRSS');
  const copies: number[] = [];
  const forms = [
    { name: 'NDJSON', accept: 'application/x-ndjson', lines: exported, took: [] as number[], used: [] as number[] },
    // With its heads.
    { name: 'CSV', accept: 'text/csv', lines: exported + 1, took: [] as number[], used: [] as number[] },
  ];
  const copied: number[] = [];
  const micros = (ms: number) => `${((ms / exported) * 1000).toFixed(0)} us`;
  const others = async () =>
    (
      await pool.query<{ pid: number }>(
        `select pid from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid() and backend_type = 'client backend'`,
      )
    ).rows.map((row) => row.pid);
  for (let round = 0; round < rounds; round++) {
    const [{ pid }] = (await pool.query<{ pid: number }>('select pg_backend_pid() as pid')).rows as [{ pid: number }];
    const used = processorTime([pid]);
    const began = performance.now();
    await pool.query(`copy (${BY_HAND(client.companyId)}) to stdout`);
    copies.push(performance.now() - began);
    copied.push(processorTime([pid]) - used);
    say(`round ${round + 1}: COPY ${copies.at(-1)!.toFixed(0)} ms, ${micros(copied.at(-1)!)} of processor time for a record`);
    for (const { name, accept, lines, took, used } of forms) {
      const backends = await others();
      const [database, product] = [processorTime(backends), processorTime([child.pid!])];
      const began = performance.now();
      const { bytes, records } = await read(accept);
      took.push(performance.now() - began);
      const [ofDatabase, ofProduct] = [processorTime(backends) - database, processorTime([child.pid!]) - product];
      used.push(Math.max(ofDatabase, ofProduct));
      if (records !== lines) throw new Error(`${records} lines were exported, and ${lines} are there`);
      const each = ((exported / took.at(-1)!) * 1000).toFixed(0);
      say(
        `  ${name} ${took.at(-1)!.toFixed(0)} ms (${each} records a second, ${(bytes / 1e6).toFixed(0)} MB), ${micros(ofDatabase)} of PostgreSQL and ${micros(ofProduct)} of the product`,
      );
    }
  }
  for (const { name, took, used } of forms)
    say(
      `${name}: ${(median(took) / median(copies)).toFixed(1)} times COPY (target 1.5); in processor time of the slower of the two, ${(median(used) / median(copied)).toFixed(1)} times`,
    );
  say(`memory: ${idle.toFixed(0)} MB before, ${memory('VmHWM').toFixed(0)} MB at most (target: 150 MB more)`);
}

try {
  await main();
} finally {
  for (const end of closing.reverse()) await end();
}
