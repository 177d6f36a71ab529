import { areSupplementsDue } from '../../dispatch/checks/supplements.ts';
import { convertSql } from '../../dispatch/model/units-of-rates.ts';
import type { TxContext } from '../../platform/commands/transact.ts';
import { queryIn } from '../../platform/database/sql.ts';
import type { Decimal } from '../../platform/decimal.ts';
import { type Attempt, refusalOf } from '../../platform/errors.ts';
import type { Ticket } from '../ticket.entity.ts';

// The job is locked against the approval of its invoices, which locks it, too: one of both sees what the other has done.
const LOCK = 'select from job where id = $1 for key share';

/** SQL: a line of the invoice is of the load. @param of further conditions of the line `li` */
const hasLine = (invoice: string, loadId: string, of = 'true'): string =>
  `exists (select from invoice_line_item li where li.invoice_id = ${invoice}.id and li.load_id = ${loadId} and ${of})`;

/** SQL: line `li` pays for a load whatever it weighs, or is a share of a line that does. */
const BY_LOAD = `(li.rate_type = 'RatePerLoad' or li.rate_type in ('RateCommission', 'RateFlatCommission') and li.unit_of_measure = 'Load')`;

/**
 * SQL: an invoice rests on what the ticket of a load weighs. A load that is paid for whatever it weighs is no matter of its ticket, unless that says that
 * nothing was delivered.
 * @param isNothing whether it is to say so
 */
export const restsOnWeightSql = (invoice: string, loadId: string, isNothing: string): string =>
  hasLine(invoice, loadId, `(${BY_LOAD} is not true or li.quantity = 0 or ${isNothing})`);

const approved = (rests: string): string => `select id, invoice_id as "invoiceId" from invoice
  where job_id = $1 and company_id = $2 and billing_approved_at is not null and state <> 'voided' and ${rests} order by created_at, id`;
const APPROVED = approved(hasLine('invoice', '$3'));
const BY_WEIGHT = approved(restsOnWeightSql('invoice', '$3', '$4'));
// A quantity that no factor converts into the unit of the line was converted by the density of its material.
const BY_DENSITY = approved(
  hasLine(
    'invoice',
    '$3',
    `${BY_LOAD} is not true and li.unit_of_measure is not null and ${convertSql('1', '$4::text', 'li.unit_of_measure')} is null`,
  ),
);

type OfLoad = Pick<Ticket, 'job' | 'load' | 'company'>;
/** The caller wants a supplement, and what is attempted where the contract answers 409. */
interface Attempted {
  supplement?: boolean | null | undefined;
  attempt?: Attempt;
}

/**
 * Refuses to void a ticket, or to take it off its load, while an invoice is approved that has a line of its load (BILLING B5), unless the caller
 * wants a supplement and the approval cannot be taken back any more. Other loads of the job may be billed already: one in dispute is on a part of its
 * own (B15), whose approval can be taken back although theirs cannot. Each company approves in its own books; invoices of others become stale.
 * @returns whether the difference is to be billed by a supplement
 * @throws Invalid or Conflict naming the invoice
 */
export async function supplementOrRefuse(tx: TxContext, ticket: OfLoad, attempted: Attempted = {}): Promise<boolean> {
  const { job, load, company } = ticket;
  return job && load ? refuseBy(tx, ticket, { ...attempted, sql: APPROVED, values: [job.id, company.id, load.id] }) : false;
}

/**
 * The same of what a ticket says, where an invoice goes by its weight. A ticket that says nothing yet is refused nothing.
 * @param says the quantity that it is to say
 */
export async function supplementOrRefuseTicket(
  tx: TxContext,
  ticket: OfLoad & Pick<Ticket, 'quantity'>,
  { says, ...attempted }: Attempted & { says?: Decimal | null | undefined } = {},
): Promise<boolean> {
  const { job, load, company, quantity } = ticket;
  if (!job || !load || !quantity) return false;
  return refuseBy(tx, ticket, { ...attempted, sql: BY_WEIGHT, values: [job.id, company.id, load.id, says?.isZero() ?? false] });
}

/** The same of the material of a ticket, where an invoice goes by its density. */
export async function supplementOrRefuseMaterial(
  tx: TxContext,
  ticket: OfLoad & Pick<Ticket, 'quantity' | 'unitOfMeasure'>,
  attempted: Attempted = {},
): Promise<boolean> {
  const { job, load, company, quantity, unitOfMeasure } = ticket;
  if (!job || !load || !quantity) return false;
  return refuseBy(tx, ticket, { ...attempted, sql: BY_DENSITY, values: [job.id, company.id, load.id, unitOfMeasure] });
}

async function refuseBy(
  tx: TxContext,
  { company }: OfLoad,
  { supplement, attempt, sql, values }: Attempted & { sql: string; values: [jobId: string, ...more: unknown[]] },
): Promise<boolean> {
  const [jobId] = values;
  await queryIn(tx.em, LOCK, [jobId]);
  const found = await queryIn<{ id: string; invoiceId: string }>(tx.em, sql, values);
  const [first] = found;
  if (!first) return false;
  const ids = found.map(({ id }) => id);
  if (supplement && (await areSupplementsDue(tx, { jobId, companyId: company.id }, ids))) return true;
  throw refusalOf({ model: 'Ticket', field: '', key: 'invoice_approved', params: { invoice: first.invoiceId } }, attempt);
}
