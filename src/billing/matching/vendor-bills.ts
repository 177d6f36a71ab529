import { ref } from '@mikro-orm/core';
import { Account } from '../../directory/accounts/account.entity.ts';
import { Company } from '../../directory/companies/company.entity.ts';
import { allow, companyOf, find, viewerOf } from '../../platform/authz/authorization.ts';
import { resolveReferences } from '../../platform/authz/references.ts';
import { NO_REAL_ACTOR, realActorColumns } from '../../platform/commands/real-actor.ts';
import { emitEvent, type TxContext, transact } from '../../platform/commands/transact.ts';
import type { Context, RecordPath } from '../../platform/context.ts';
import { withPartnerVisibility } from '../../platform/database/scope.ts';
import { queryIn } from '../../platform/database/sql.ts';
import { Decimal, decimalText } from '../../platform/decimal.ts';
import { type ErrorItem, Invalid } from '../../platform/errors.ts';
import { conflict } from '../../platform/state/machine.ts';
import { LoadMatch } from './load-match.entity.ts';
import type { CreateVendorBillInput, WaiveLoadMatchInput } from './match.inputs.ts';
import { compareBlocked, holdBills, matchNow } from './match-loads.ts';
import { VendorBill } from './vendor-bill.entity.ts';
import { type BilledLine, linesOf } from './vendor-bill-lines.ts';

const model = 'VendorBill';
/** The permission to compare the bills of vendors. */
export const MATCHES = 'edit_invoice';
const SEES = 'view_vendor_rates';

/** Loads of vendor $2 in the books of company $1 that lines name, by their ids ($3) or by tickets ($4). */
const NAMED = `m.company_id = $1 and m.side = 'payable' and m.vendor_account_id = $2 and m.load_id is not null
    and (m.load_id = any($3::uuid[]) or lower(btrim(m.ticket_number)) = any(array(select lower(t) from unnest($4::text[]) as n(t))))`;

// A line takes its place at the load that it names, if no other line has it; all others are of no load. The id of a load that the company does not
// see is not kept.
const ENTER = `with given as (select * from unnest($6::int[], $7::text[], $8::uuid[], $9::date[], $10::numeric[], $11::numeric[], $12::numeric[])
      as g(place, ticket_number, load_id, date, quantity, rate, amount)),
  own as materialized (select m.id, m.load_id, lower(btrim(m.ticket_number)) as ticket, m.vendor_bill_id from load_match m where ${NAMED}),
  ticketed as (select distinct on (ticket) id, ticket, vendor_bill_id from own where ticket is not null order by ticket, id),
  found as (select g.*, coalesce(l.id, t.id) as match_id, coalesce(l.vendor_bill_id, t.vendor_bill_id) is not null
        or row_number() over (partition by coalesce(l.id, t.id) order by g.place) > 1 as is_taken
    from given g left join own l on l.load_id = g.load_id
      left join ticketed t on t.ticket = case when g.load_id is null then lower(g.ticket_number) end),
  placed as (update load_match m set vendor_bill_id = $5, billed_load_id = f.load_id, their_date = f.date, their_quantity = f.quantity, their_rate = f.rate,
      their_amount = f.amount, version = m.version + 1, updated_at = present_time()
    from found f where f.match_id = m.id and not f.is_taken returning m.job_id),
  others as (insert into load_match (id, company_id, side, vendor_account_id, vendor_company_id, vendor_bill_id, ticket_number, billed_load_id, their_date,
      their_quantity, their_rate, their_amount, variances, result, amount_at_stake)
    select gen_random_uuid(), $1, 'payable', $2, $1, $5, f.ticket_number, (select l.id from load l where l.id = f.load_id), f.date, f.quantity, f.rate, f.amount,
      array[case when f.match_id is null then 'no_load' else 'twice_billed' end], 'variance', abs(f.amount)
    from found f where f.match_id is null or f.is_taken)
select distinct job_id as id from placed`;

/**
 * Compares what a vendor bills with tickets and with what the company owes by its own books, load by load (BILLING B10). Nothing is taken over.
 * @throws Missing, Denied; Invalid naming each line that is wrong by its place
 */
export function createVendorBill(ctx: Context, input: CreateVendorBillInput, companyId?: string | null): Promise<{ id: string }> {
  return transact(ctx, async (tx) => {
    allow(tx, MATCHES);
    allow(tx, SEES);
    const company = companyOf(tx, companyId);
    // Of two bills for one load, the second one sees the first.
    await holdBills(tx, company);
    const items: ErrorItem[] = [];
    const { vendor } = await resolveReferences(tx, input, { vendor: [Account, 'vendorAccountId'] }, { model, companyId: company, items });
    const lines = linesOf(input, items);
    const number = input.number.trim();
    if (!number) items.push({ model, field: 'number', key: 'required' });
    else if (vendor && (await isBilled(tx, vendor.id, number))) items.push({ model, field: 'number', key: 'taken' });
    if (items.length > 0) throw new Invalid(items);
    const totalAmount = lines.reduce((sum, { amount }) => sum.plus(amount), new Decimal(0));
    const bill = Object.assign(new VendorBill(), {
      ...{ company: ref(Company, company), vendorAccount: ref(Account, vendor!.id), number, date: input.date ?? null },
      ...{ linesCount: lines.length, totalAmount },
    });
    tx.em.persist(bill);
    emitEvent(tx, 'vendor_bill.created', bill);
    await tx.em.flush();
    await enter(tx, bill, lines);
    return { id: bill.id };
  });
}

/** Whether the vendor has sent a bill of this number, also one who was merged into them: the unique rule knows only their own. */
const isBilled = async (tx: TxContext, vendorId: string, number: string): Promise<boolean> =>
  (
    await queryIn(tx.em, 'select from vendor_bill where vendor_account_id = $1 and fold_text(number) = fold_text($2) limit 1', [
      vendorId,
      number,
    ])
  ).length > 0;

const text = (value: Decimal | null): string | null => (value ? decimalText(value) : null);

async function enter(tx: TxContext, { id, company, vendorAccount }: VendorBill, lines: readonly BilledLine[]): Promise<void> {
  const column = <T>(of: (line: BilledLine, place: number) => T): T[] => lines.map(of);
  const named = [
    ...[company.id, vendorAccount.id, lines.flatMap(({ loadId }) => loadId ?? [])],
    lines.flatMap(({ loadId, ticketNumber }) => (loadId === null ? (ticketNumber ?? []) : [])),
  ];
  const placed = await queryIn<{ id: string }>(tx.em, ENTER, [
    ...[...named, id, column((_, place) => place), column(({ ticketNumber }) => ticketNumber), column(({ loadId }) => loadId)],
    ...[
      column(({ date }) => date),
      column(({ quantity }) => text(quantity)),
      column(({ rate }) => text(rate)),
      column(({ amount }) => text(amount)),
    ],
  ]);
  if (placed.length > 0)
    await matchNow(
      tx,
      placed.map((row) => row.id),
      [company.id],
    );
}

const LEAVE = `with own as materialized (select m.id from load_match m where m.vendor_bill_id = $1 order by m.id for update),
  placed as (update load_match m set vendor_bill_id = null, billed_load_id = null, their_date = null, their_quantity = null, their_rate = null,
      their_amount = null, version = version + 1, updated_at = present_time() from own where own.id = m.id and m.load_id is not null returning m.job_id),
  others as (delete from load_match m using own where own.id = m.id and m.load_id is null)
select distinct job_id as id from placed`;

/** Forgets what a vendor billed, such as a bill that was entered by mistake. @throws Missing, Denied */
export function deleteVendorBill(ctx: Context, path: RecordPath): Promise<void> {
  return transact(ctx, async (tx) => {
    const seen = await find(tx, VendorBill, path.id, path);
    allow(tx, MATCHES);
    allow(tx, SEES);
    await holdBills(tx, seen.company.id);
    const bill = await find(tx, VendorBill, path.id, { ...path, lock: true });
    const jobs = await queryIn<{ id: string }>(tx.em, LEAVE, [bill.id]);
    if (jobs.length > 0) {
      const ids = jobs.map(({ id }) => id);
      await matchNow(tx, ids, [bill.company.id], true);
    }
    emitEvent(tx, 'vendor_bill.deleted', bill);
    tx.em.remove(bill);
  });
}

/** Says that what differs of a load is right. It holds as long as the same differs, and comes to the same. @throws Missing, Denied, Conflict */
export function waiveLoadMatch(ctx: Context, path: RecordPath, { reason }: WaiveLoadMatchInput): Promise<{ id: string }> {
  return transact(ctx, async (tx) => {
    const match = await lockMatch(tx, path);
    if (!reason.trim()) throw new Invalid([{ model: 'LoadMatch', field: 'reason', key: 'required' }]);
    if (match.result !== 'variance') throw conflict('LoadMatch', { state: match.result }, 'waive', 'nothing_to_waive');
    const viewer = viewerOf(tx);
    Object.assign(match, {
      ...{ result: 'waived', waivedAt: tx.tx.now, waiveReason: reason.trim() },
      ...{ waivedByType: viewer.type, waivedById: viewer.id, waivedByName: viewer.name, ...realActorColumns(viewer) },
    });
    emitEvent(tx, 'load_match.waived', match);
    await noteBlocked(tx, match);
    return match;
  });
}

/** Takes that back. @throws Missing, Denied, Conflict */
export function unwaiveLoadMatch(ctx: Context, path: RecordPath): Promise<{ id: string }> {
  return transact(ctx, async (tx) => {
    const match = await lockMatch(tx, path);
    if (match.result !== 'waived') throw conflict('LoadMatch', { state: match.result }, 'unwaive', 'not_waived');
    Object.assign(match, {
      ...{ result: 'variance', waivedAt: null, waiveReason: null, waivedByType: null, waivedById: null, waivedByName: null },
      ...NO_REAL_ACTOR,
    });
    emitEvent(tx, 'load_match.unwaived', match);
    await noteBlocked(tx, match);
    return match;
  });
}

const BLOCKED = `select j.id as "blockedJobId", j.company_id as "ownerId" from job j
  where j.id = $1 and exists (select from company_settings s where s.id = $2 and s.ticket_conflict_blocks)`;

/** Has the invoice of a load compared again whose company wants conflicts settled first. */
async function noteBlocked(tx: TxContext, { job, company }: LoadMatch): Promise<void> {
  if (!job) return;
  compareBlocked(
    tx,
    await withPartnerVisibility(() => queryIn<{ blockedJobId: string; ownerId: string }>(tx.em, BLOCKED, [job.id, company.id])),
  );
}

async function lockMatch(tx: TxContext, path: RecordPath): Promise<LoadMatch> {
  const { side, payeeDriver } = await find(tx, LoadMatch, path.id, path);
  allow(tx, 'approve_invoice');
  allow(tx, side === 'receivable' ? 'view_customer_rates' : payeeDriver ? 'view_driver_rates' : SEES);
  return find(tx, LoadMatch, path.id, { ...path, lock: true });
}
