import { ref } from '@mikro-orm/core';
import { Account } from '../../directory/accounts/account.entity.ts';
import { Company } from '../../directory/companies/company.entity.ts';
import { allow, companyOf, find, resolveReferences, viewerOf } from '../../platform/authz/authorization.ts';
import { emitEvent, type TxContext, transact } from '../../platform/commands/transact.ts';
import type { Context, RecordPath } from '../../platform/context.ts';
import { queryIn } from '../../platform/database/sql.ts';
import { Decimal, decimalText } from '../../platform/decimal.ts';
import { type ErrorItem, Invalid } from '../../platform/errors.ts';
import { conflict } from '../../platform/state/machine.ts';
import { LoadMatch } from './load-match.entity.ts';
import type { CreateVendorBillInput, WaiveLoadMatchInput } from './match.inputs.ts';
import { matchNow } from './match-loads.ts';
import { VendorBill } from './vendor-bill.entity.ts';
import { type BilledLine, linesOf } from './vendor-bill-lines.ts';

const model = 'VendorBill';
/** Who compares what vendors bill. */
export const MATCHES = 'edit_invoice';
const SEES = 'view_vendor_rates';

// A line takes its place at the load that it names, if no other line has it; all others are of no load.
const ENTER = `with given as (select * from unnest($3::int[], $4::text[], $5::uuid[], $6::date[], $7::numeric[], $8::numeric[], $9::numeric[])
      as g(place, ticket_number, load_id, date, quantity, rate, amount)),
  found as (select g.*, m.id as match_id, m.vendor_bill_id is not null or row_number() over (partition by m.id order by g.place) > 1 as is_taken
    from given g left join lateral (select m.id, m.vendor_bill_id from load_match m where m.company_id = $2 and m.side = 'payable' and m.vendor_account_id = $10
      and m.load_id is not null and case when g.load_id is not null then m.load_id = g.load_id else lower(btrim(m.ticket_number)) = lower(g.ticket_number) end
      order by m.id limit 1) m on true),
  placed as (update load_match m set vendor_bill_id = $1, their_date = f.date, their_quantity = f.quantity, their_rate = f.rate, their_amount = f.amount,
      version = m.version + 1, updated_at = now()
    from found f where f.match_id = m.id and not f.is_taken returning m.job_id),
  others as (insert into load_match (id, company_id, side, vendor_account_id, vendor_company_id, vendor_bill_id, ticket_number, their_date, their_quantity, their_rate,
      their_amount, variances, result, amount_at_stake)
    select gen_random_uuid(), $2, 'payable', $10, $2, $1, f.ticket_number, f.date, f.quantity, f.rate, f.amount,
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
    const items: ErrorItem[] = [];
    const { vendor } = await resolveReferences(tx, input, { vendor: [Account, 'vendorAccountId'] }, { model, companyId: company, items });
    const lines = linesOf(input, items);
    const number = input.number.trim();
    if (!number) items.push({ model, field: 'number', key: 'required' });
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

const text = (value: Decimal | null): string | null => (value ? decimalText(value) : null);

async function enter(tx: TxContext, { id, company, vendorAccount }: VendorBill, lines: readonly BilledLine[]): Promise<void> {
  const column = <T>(of: (line: BilledLine, place: number) => T): T[] => lines.map(of);
  const jobs = await queryIn<{ id: string }>(tx.em, ENTER, [
    ...[id, company.id, column((_, place) => place), column(({ ticketNumber }) => ticketNumber), column(({ loadId }) => loadId)],
    ...[
      column(({ date }) => date),
      column(({ quantity }) => text(quantity)),
      column(({ rate }) => text(rate)),
      column(({ amount }) => text(amount)),
    ],
    vendorAccount.id,
  ]);
  for (const job of jobs) await matchNow(tx, job.id, [company.id]);
}

const LEAVE = `with placed as (update load_match set vendor_bill_id = null, their_date = null, their_quantity = null, their_rate = null, their_amount = null,
      version = version + 1, updated_at = now() where vendor_bill_id = $1 and load_id is not null returning job_id),
  others as (delete from load_match where vendor_bill_id = $1 and load_id is null)
select distinct job_id as id from placed`;

/** Forgets what a vendor billed, such as a bill that was entered by mistake. @throws Missing, Denied */
export function deleteVendorBill(ctx: Context, path: RecordPath): Promise<void> {
  return transact(ctx, async (tx) => {
    await find(tx, VendorBill, path.id, path);
    allow(tx, MATCHES);
    allow(tx, SEES);
    const bill = await find(tx, VendorBill, path.id, { ...path, lock: true });
    const jobs = await queryIn<{ id: string }>(tx.em, LEAVE, [bill.id]);
    for (const job of jobs) await matchNow(tx, job.id, [bill.company.id]);
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
    const { type, id, name, realActor } = viewerOf(tx);
    Object.assign(match, {
      ...{ result: 'waived', waivedAt: tx.tx.now, waiveReason: reason.trim(), waivedByType: type, waivedById: id, waivedByName: name },
      ...{ realActorType: realActor?.type ?? null, realActorId: realActor?.id ?? null, realActorName: realActor?.name ?? null },
    });
    emitEvent(tx, 'load_match.waived', match);
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
      ...{ realActorType: null, realActorId: null, realActorName: null },
    });
    emitEvent(tx, 'load_match.unwaived', match);
    return match;
  });
}

async function lockMatch(tx: TxContext, path: RecordPath): Promise<LoadMatch> {
  const { side, payeeDriver } = await find(tx, LoadMatch, path.id, path);
  allow(tx, 'approve_invoice');
  allow(tx, side === 'receivable' ? 'view_customer_rates' : payeeDriver ? 'view_driver_rates' : SEES);
  return find(tx, LoadMatch, path.id, { ...path, lock: true });
}
