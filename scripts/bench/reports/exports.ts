import { readFileSync } from 'node:fs';
import { median } from '../drive.ts';
import type { Measuring } from './measuring.ts';
import { backendsOf, processorTime } from './processor-time.ts';

/** The columns of a ticket as REST shows them, by hand: from its own row, and the names of what it names. */
const TICKETS = (
  company: string,
): string => `select t.id, t.ticket_number, t.created_at, t.updated_at, t.quantity, t.unit_of_measure, t.job_id, t.order_id, m.id, m.name,
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

/** The columns of a load in the list of a company. */
const LOADS = (company: string): string => `select id, load_id from load where company_id = '${company}' order by created_at, id`;

/** A list that is exported, and the statement with its columns that was written by hand. */
const LISTS = { tickets: { path: 'tickets', sql: TICKETS }, loads: { path: 'loads/typeahead', sql: LOADS } };
export type Exported = keyof typeof LISTS;
export const isExported = (name: string): name is Exported => Object.hasOwn(LISTS, name);

/** Exports a list of a company as NDJSON and as CSV, in turns with a COPY of the same columns. @param exported how many records the list has */
export async function measureExport(
  { pool, base, child, token, companyId, rounds, say }: Measuring,
  list: Exported,
  exported: number,
): Promise<void> {
  const { path, sql } = LISTS[list];
  const memory = (name: 'VmHWM' | 'VmRSS'): number =>
    Number(new RegExp(`${name}:\\s+(\\d+)`).exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))![1]) / 1024;
  const read = async (accept: string, query = ''): Promise<{ bytes: number; records: number }> => {
    const answer = await fetch(new URL(`/v1/companies/${companyId}/${path}${query}`, base), {
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
  for (let round = 0; round < rounds; round++) {
    const [{ pid }] = (await pool.query<{ pid: number }>('select pg_backend_pid() as pid')).rows as [{ pid: number }];
    const used = processorTime([pid]);
    const began = performance.now();
    await pool.query(`copy (${sql(companyId)}) to stdout`);
    copies.push(performance.now() - began);
    copied.push(processorTime([pid]) - used);
    say(`round ${round + 1}: COPY ${copies.at(-1)!.toFixed(0)} ms, ${micros(copied.at(-1)!)} of processor time for a record`);
    for (const { name, accept, lines, took, used } of forms) {
      const backends = await backendsOf(pool);
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
  say(`${list}, ${exported}: memory ${idle.toFixed(0)} MB before, ${memory('VmHWM').toFixed(0)} MB at most (target: 150 MB more)`);
}
