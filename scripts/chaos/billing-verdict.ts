import type { MikroORM } from '@mikro-orm/postgresql';
import { poolOf } from '../../src/platform/database/sql.ts';
import { Decimal } from '../../src/platform/decimal.ts';
import type { AccountingSystem } from './accounting-system.ts';
import type { Books } from './billing-books.ts';

/** What should be there in the end. */
export interface Expected {
  /** Pieces of work that are settled, each by so many invoices. */
  pieces: number;
  invoices: number;
  /** Ids of settlements that clients were answered. */
  made: ReadonlySet<string>;
  /** Jobs whose invoice was exported by itself. */
  lone: readonly string[];
}

interface Settled {
  id: string;
  state: string;
  total: string;
  invoices: number;
  sum: string;
  exported: string | null;
  export_state: string | null;
}
// What a settlement says, beside what its invoices and charges add up to.
const SETTLED = `select s.id, s.state, coalesce(s.rebill_total_amount, s.total_amount)::text as total, count(x.invoice_id)::int as invoices,
    (sum(coalesce(x.rebill_total_amount, i.total_amount)) + coalesce((select sum(coalesce(case when s.rebill_total_amount is not null then c.rebill_amount end, c.amount, 0))
      from add_on_charge c where c.add_on_applicable_id = s.id), 0))::text as sum, e.integration_invoice_id as exported, e.state as export_state
  from settlement s join settlement_invoice x on x.settlement_id = s.id join invoice i on i.id = x.invoice_id
    left join settlement_export e on e.settlement_id = s.id and not e.reverses
  group by s.id, e.integration_invoice_id, e.state`;
const REVERSED = `select id, settlement_id, integration_invoice_id as exported, state from settlement_export where reverses and settlement_id is not null`;
// Invoices that went to accounting by themselves, or were to, and what takes them back.
const ALONE = `select e.id as export_id, e.reverses, e.integration_invoice_id as exported, e.state, i.id, i.job_id, i.state as invoice_state, i.total_amount::text as total
  from settlement_export e join invoice i on i.id = e.invoice_id`;
const LONE = `select i.job_id, count(*) filter (where i.state <> 'voided')::int as live, count(*) filter (where i.state <> 'voided' and i.exported_at is not null)::int as exported,
    coalesce(sum(i.total_amount) filter (where i.state <> 'voided'), 0)::text as total,
    count(*) filter (where exists (select from settlement_invoice x where x.invoice_id = i.id and x.live))::int as settled
  from invoice i where i.job_id = any($1::uuid[]) and i.side = 'receivable' group by i.job_id`;

interface Alone {
  export_id: string;
  reverses: boolean;
  exported: string | null;
  state: string;
  /** Of the invoice. */
  id: string;
  job_id: string;
  invoice_state: string;
  total: string;
}

/** The document of an export: the invoice, or what takes it back. */
const documentOf = ({ export_id, reverses, exported, state, id, total }: Alone) => ({
  ...{ id: reverses ? export_id : id, exported, state },
  total: reverses ? new Decimal(total).negated().toFixed() : total,
});

/** What is wrong with jobs whose invoices go to accounting by themselves: it has each job's live invoice once, and nothing else of it that is not taken back. */
async function problemsOfLone(
  orm: MikroORM,
  alone: readonly Alone[],
  system: AccountingSystem,
  lone: readonly string[],
): Promise<string[]> {
  const pool = await poolOf(orm.em);
  const { rows } = await pool.query<{ job_id: string; live: number; exported: number; total: string; settled: number }>(LONE, [lone]);
  const known = new Map(rows.map((one) => [one.job_id, one]));
  const taken = new Map([...system.taken.values()].map(({ id, total }) => [id, total]));
  const inBooks = new Map<string, Decimal>();
  for (const one of alone) {
    const there = taken.get(documentOf(one).id);
    if (there !== undefined) inBooks.set(one.job_id, (inBooks.get(one.job_id) ?? new Decimal(0)).plus(there));
  }
  const wrong = lone.flatMap((job) => {
    const { live = 0, exported = 0, settled = 0, total = '0' } = known.get(job) ?? {};
    if (live !== 1 || exported !== 1 || settled !== 0)
      return [`job ${job} has ${live} live invoices, ${exported} of them exported and ${settled} settled`];
    const there = inBooks.get(job) ?? new Decimal(0);
    return there.eq(total) ? [] : [`job ${job} is ${total} here and ${there.toFixed()} in the accounting system`];
  });
  const reversals = Object.groupBy(
    alone.filter(({ reverses }) => reverses),
    ({ id }) => id,
  );
  for (const { id, reverses, exported, invoice_state: state } of alone) {
    if (reverses) continue;
    const wanted = state === 'voided' && exported !== null ? 1 : 0;
    const made = reversals[id]?.length ?? 0;
    if (made !== wanted) wrong.push(`invoice ${id} is ${state}, known there as ${exported}, and taken back ${made} times`);
  }
  return wrong;
}

const LINES = `select count(*)::int as wrong from invoice_line_item li join invoice i on i.id = li.invoice_id
  where i.state <> 'voided' and li.corrects_id is null and li.total_amount <> round(li.quantity * li.rate, 2)`;
const INSTALLMENTS_SQL = `select sum(auto_add_on_installments_count)::int as charged, sum(total_installments)::int as all
  from auto_add_on_assignment where total_installments > 0`;

/** Compares what clients were answered, the books, and what the accounting system has. @returns whether all of it agrees */
export async function compare(
  orm: MikroORM,
  books: readonly Books[],
  system: AccountingSystem,
  { pieces, invoices: each, made, lone }: Expected,
): Promise<boolean> {
  const ask = <R extends object>(sql: string) => orm.em.getConnection().execute<R[]>(sql);
  const settled = await ask<Settled>(SETTLED);
  const alone = await ask<Alone>(ALONE);
  const reversed = await ask<{ id: string; settlement_id: string; exported: string | null; state: string }>(REVERSED);
  const wrong: string[] = [];
  const note = (problem: boolean, what: string) => void (problem && wrong.push(what));
  const known = new Map(settled.map((one) => [one.id, one]));
  for (const id of made) note(!known.has(id), `settlement ${id} was answered and is not there`);
  const live = settled.filter(({ state }) => state !== 'voided');
  note(live.length !== pieces, `${live.length} live settlements of ${pieces} pieces of work`);
  for (const { id, state, total, sum, invoices } of live) {
    note(!new Decimal(total).eq(sum), `settlement ${id} says ${total} and is ${sum}`);
    note(state !== 'paid' || invoices !== each, `settlement ${id} is ${state} and has ${invoices} invoices`);
  }
  const [lines] = await ask<{ wrong: number }>(LINES);
  note(lines!.wrong > 0, `${lines!.wrong} lines are not their quantity times their rate`);
  // There is more work than installments, and what was voided has given its own back.
  const [installments] = await ask<{ charged: number; all: number }>(INSTALLMENTS_SQL);
  note(installments!.charged > installments!.all, `fees of ${installments!.all} installments have charged ${installments!.charged}`);

  // Each document is in the accounting system once, and what both say of it is the same.
  const keys = new Map<string, string[]>();
  for (const [key, { id }] of system.taken) keys.set(id, [...(keys.get(id) ?? []), key]);
  for (const [id, of] of keys) note(of.length > 1, `${id} is in the accounting system as ${of.join(', ')}`);
  const documents = new Map([...system.taken.values()].map((one) => [one.id, one]));
  const exports = [
    ...settled.flatMap((one) =>
      one.export_state === null ? [] : [{ id: one.id, total: one.total, exported: one.exported, state: one.export_state }],
    ),
    ...reversed.map(({ id, settlement_id, exported, state }) => ({
      ...{ id, exported, state },
      total: new Decimal(known.get(settlement_id)!.total).negated().toFixed(),
    })),
  ];
  for (const { id, total, exported, state } of [...exports, ...alone.map(documentOf)]) {
    const document = documents.get(id);
    documents.delete(id);
    note(
      (document?.invoiceId ?? null) !== exported,
      `${id} (${state}) is ${exported} here and ${document?.invoiceId} in the accounting system`,
    );
    // What a voided settlement was is no longer worked out from its invoices.
    if (document && known.get(id)?.state !== 'voided')
      note(!new Decimal(document.total).eq(total), `${id} is ${total} here and ${document.total} there`);
  }
  for (const problem of await problemsOfLone(orm, alone, system, lone)) note(true, problem);
  for (const id of documents.keys()) note(true, `${id} is in the accounting system and nobody has sent it`);

  const states = Object.entries(Object.groupBy(settled, ({ state }) => state)).map(([state, of]) => `${of!.length} ${state}`);
  console.log(
    `settlements: ${states.join(', ')} in ${books.length} companies; ${installments!.charged} of ${installments!.all} installments of fees are charged`,
  );
  console.log(
    `documents: ${system.taken.size} in the accounting system after ${system.asked} requests, ${reversed.length} of them take one back; of invoices by themselves ${alone.filter((one) => !one.reverses && one.exported).length}, of which ${alone.filter((one) => one.reverses).length} were taken back`,
  );
  for (const line of wrong.slice(0, 20)) console.log(`  ${line}`);
  console.log(wrong.length === 0 ? 'nothing is lost, and nothing was done twice' : `${wrong.length} problems`);
  return wrong.length === 0 && live.length > 0;
}
