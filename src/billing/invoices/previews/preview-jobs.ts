import { seesSide } from '../../../dispatch/pricing/see-rates.ts';
import { viewerOf } from '../../../platform/authz/authorization.ts';
import type { Context, Viewer } from '../../../platform/context.ts';
import { namedStatement } from '../../../platform/database/named-statements.ts';
import { planOnce } from '../../../platform/database/planned-once.ts';
import { actOnBehalfOf, withPartnerVisibility } from '../../../platform/database/scope.ts';
import { queryOf } from '../../../platform/database/sql.ts';
import { Decimal } from '../../../platform/decimal.ts';
import { type FigureJson, figureJson, shownFigure } from '../../pricing/figure-json.ts';
import { type Line, linesTotal } from '../../pricing/freight.ts';
import type { Priced } from '../../pricing/price.ts';
import { booksOf, type Entry, keyOfBooks, payerOfShare } from '../books-of-job.ts';
import { type Bills, billsOfJobs, keyOfInvoice } from '../comparing/bills-of-jobs.ts';
import { wantedOf } from '../comparing/wanted-books.ts';
import type { JobFacts } from '../facts/job-facts.ts';
import { factsOfJobs } from '../facts/read-job-facts.ts';
import { FOLLOWING, isSupplement } from '../invoice.machine.ts';
import type { InvoiceSide } from '../invoice-enums.ts';
import { typeOf } from '../lines/edits-of-lines.ts';
import { type PricedLoads, priceParts } from '../parts/price-parts.ts';
import { blockersOf, priceEntry } from '../price-entry.ts';
import { sideOfRates } from '../rate-by-hand.ts';
import { printed, timesOf } from '../write-price.ts';
import type { InvoicePreview, PreviewedInvoice, PreviewedTotal } from './invoice-preview.ts';

/** The request for a preview of jobs. */
export interface Asked {
  /** In whose books. */
  companyId: string;
  /** All jobs have to be visible in the running scope, with the books of their owners. */
  jobIds: readonly string[];
  /** Both sides by default. */
  side?: InvoiceSide | null;
  explain?: boolean | null;
}

/** A live invoice. */
interface LiveInvoice {
  id: string;
  jobId: string;
  side: InvoiceSide;
  link: string | null;
  /** Of a payable of a supplier for material: who that is. */
  supplier: string | null;
  state: PreviewedInvoice['state'];
  /** Its price is that of the work: nothing of it was set by hand, split off or billed. */
  plain: boolean;
}
const LIVE =
  namedStatement(`select i.id, i.job_id as "jobId", i.side, i.job_assignment_id as link, case when i.of_material then i.vendor_account_id end as supplier, i.state,
    i.state in ('${FOLLOWING.join("', '")}') and i.reason = 'regular' and not i.by_hand and i.removed_lines = '{}' and i.load_ids = '{}'
      and not exists (select from invoice_line_item li where li.invoice_id = i.id and li.edited_by_id is not null) as plain
  from invoice i where i.job_id = any($1::uuid[]) and i.company_id = $2 and i.state <> 'voided' order by i.part, i.id`);

// By their jobs, whichever these are.
planOnce(LIVE);

/**
 * Returns what would be invoiced of jobs now, in the books of one company and in the order of the ids, by the computation of the worker that writes
 * invoices; nothing is written. Everything is read by a few statements for all of them.
 */
export async function previewJobs(ctx: Context, asked: Asked): Promise<InvoicePreview[]> {
  const { companyId, jobIds } = asked;
  if (jobIds.length === 0) return [];
  const live = Map.groupBy(await queryOf<LiveInvoice>(ctx, LIVE, [jobIds, companyId]), ({ jobId }) => jobId);
  const special = jobIds.filter((id) => !isPlain(live.get(id) ?? []));
  const specials = new Set(special);
  // Somebody may have set another rate on what is special, and then it is paid by time although its job is not.
  const facts = await factsOfJobs((sql, values) => queryOf(ctx, sql, values), jobIds, specials);
  const bills = special.length === 0 ? undefined : await billsOfJobs(ctx, special, [companyId]);
  const ofPayers = await billsOfPayers(ctx, [...facts.values()], companyId);
  const viewer = viewerOf(ctx);
  return jobIds.flatMap((id) => {
    const job = facts.get(id);
    return job ? [previewOf(viewer, job, asked, { live: live.get(id) ?? [], ofPayers, ...(specials.has(id) ? { bills } : {}) })] : [];
  });
}

const isPlain = (live: readonly LiveInvoice[]): boolean =>
  live.every(({ plain }) => plain) && new Set(live.map(({ side, link, supplier }) => `${side} ${link} ${supplier}`)).size === live.length;

interface Billed {
  live: readonly LiveInvoice[];
  /** The invoices themselves, of a job of which they matter. */
  bills?: Bills | undefined;
  /** The invoices of those who pay a share of what they charge for the jobs. */
  ofPayers?: Bills | undefined;
}

function previewOf(viewer: Viewer, job: JobFacts, { companyId, side, explain }: Asked, billed: Billed): InvoicePreview {
  const invoices: PreviewedInvoice[] = [];
  let receivable: readonly Line[] | undefined;
  const wanted = wantedOf(job).filter((one) => one.companyId === companyId);
  for (const entry of wanted) {
    const owner = sideOfRates(entry.side, entry.payeeDriverId === null ? null : entry);
    const isShown = seesSide(viewer, owner) && (!side || side === entry.side);
    // An invoice that nobody is shown is priced only where somebody is paid a share of it.
    if (!isShown && !(entry.side === 'receivable' && wanted.some((one) => payerOfShare(job, one) === companyId))) continue;
    const payer = payerOfShare(job, entry);
    const parts = partsOf(
      job,
      entry,
      billed,
      payer === companyId ? receivable : payer ? linesOfPayer(job, payer, billed.ofPayers) : undefined,
    );
    // The pay of vendors and drivers may be a share of the customer's price.
    if (entry.side === 'receivable')
      receivable = parts.every(({ priced }) => priced) ? parts.flatMap(({ priced }) => priced!.lines) : undefined;
    if (!isShown) continue;
    for (const part of parts) {
      const explained = explain && explains(viewer, part) && part.priced ? shownFigure(viewer, figureJson(part.priced.total)) : null;
      invoices.push(previewedInvoice(job, entry, part, explained));
    }
  }
  return { jobId: job.id, friendlyJobId: job.jobId, invoices, totals: totalsOf(invoices) };
}

/** The explanation of a commission says what the customer pays. */
const explains = (viewer: Viewer, { rate }: Part): boolean =>
  !(rate?.type === 'RateCommission' || rate?.type === 'RateFlatCommission') || seesSide(viewer, 'customer');

interface Part extends Pick<PricedLoads, 'job' | 'rate' | 'itemized' | 'priced'> {
  invoice: Pick<LiveInvoice, 'id' | 'state'> | undefined;
}

/** The invoices that there are of a side of a job, or that would be made, with what each would say. */
function partsOf(job: JobFacts, entry: Entry, { live, bills }: Billed, receivable: readonly Line[] | undefined): Part[] {
  const key = keyOfBooks(entry);
  const present = bills?.ofJob(job.id).filter((one) => keyOfInvoice(one) === key) ?? [];
  if (bills && present.length > 0) {
    const work = { job, entry, live: present, receivable, ...ofBills(bills), isPreview: true };
    const { parts, late } = priceParts(work);
    const isHauled = late?.job.loads.some(({ state }) => state === 'completed');
    return late && isHauled ? [...parts, { ...late, invoice: undefined }] : parts;
  }
  const supplier = entry.ofMaterial ? entry.vendorAccountId : null;
  const invoice = live.find((one) => one.side === entry.side && one.link === entry.jobAssignmentId && one.supplier === supplier);
  const itemized = entry.ofMaterial || (entry.isTop && job.itemized);
  const priced = priceEntry(job, entry, { receivable, itemized, ...(invoice ? { invoiceId: invoice.id } : {}) });
  return [{ job, rate: entry.rate, itemized, priced, invoice }];
}

const ofBills = ({ rebilledOf, itemsOf, copiesOf }: Bills) => ({ rebilledOf, itemsOf, copiesOf });

/**
 * The receivable of another company for a job, of which a commission along a link is a share: at the rates that it set by hand, and with its edited lines. The
 * viewer reads nothing else of it.
 */
function linesOfPayer(job: JobFacts, companyId: string, bills: Bills | undefined): readonly Line[] | undefined {
  const entry = booksOf(job).find((one) => one.side === 'receivable' && one.companyId === companyId);
  if (!entry) return undefined;
  const payer = payerOfShare(job, entry);
  const byHand = bills?.ofJob(job.id).flatMap((one) => (one.byHand && !isSupplement(one) ? [keyOfInvoice(one)] : [])) ?? [];
  const known = { ...job, byHand: [...new Set([...job.byHand, ...byHand])] };
  const parts = partsOf(known, entry, { live: [], bills }, payer ? linesOfPayer(job, payer, bills) : undefined);
  return parts.every(({ priced }) => priced) ? parts.flatMap(({ priced }) => priced!.lines) : undefined;
}

/** Reads the bills of companies of whose receivables jobs are a share in the books of a company, as those companies see them. */
function billsOfPayers(ctx: Context, jobs: readonly JobFacts[], companyId: string): Promise<Bills> | undefined {
  const shares = new Map<string, Set<string>>();
  const follow = (job: JobFacts, entry: Entry): void => {
    const payer = entry.side === 'receivable' ? payerOfShare(job, entry) : undefined;
    const above = payer && booksOf(job).find((one) => one.side === 'receivable' && one.companyId === payer);
    if (!payer || payer === companyId || !above) return;
    shares.set(job.id, (shares.get(job.id) ?? new Set()).add(payer));
    follow(job, above);
  };
  for (const job of jobs) for (const entry of booksOf(job)) if (entry.companyId === companyId) follow(job, entry);
  if (shares.size === 0) return undefined;
  const payers = [...new Set([...shares.values()].flatMap((ids) => [...ids]))];
  return withPartnerVisibility(() => {
    for (const id of payers) actOnBehalfOf(id);
    return billsOfJobs(ctx, [...shares.keys()], payers);
  });
}

function previewedInvoice(
  whole: JobFacts,
  entry: Entry,
  { job, rate, itemized, priced, invoice }: Part,
  explain: FigureJson | null,
): PreviewedInvoice {
  const { companyId, side, customerAccountId, vendorAccountId, payeeDriverId } = entry;
  const { currency, serviceDate } = whole.companies.find(({ id }) => id === companyId)!;
  return {
    ...{ invoiceId: invoice?.id ?? null, state: invoice?.state ?? null, side, customerAccountId, vendorAccountId, driverId: payeeDriverId },
    ...{ currency, serviceDate, ...amountsOf(priced) },
    lineItems: printed(priced?.lines ?? [], itemized).map((line) => ({
      ...{ loadId: line.loadId, lineItemType: typeOf(line), name: line.name, deliveredQuantity: line.delivered.value },
      ...{ quantity: line.quantity.value, unitOfMeasure: line.unit, rate: line.rate.value, rateType: line.rateType },
      ...{ totalAmount: line.amount.value, ...timesOf(line, job) },
    })),
    charges: (priced?.charges ?? []).map(({ name, quantity, rate, percentage, taxable, amount }) => ({
      ...{ name, quantity: quantity.value, rate: rate.value, percentage: percentage.value, taxable, totalAmount: amount.value },
    })),
    blockers: blockersOf(job, { ...entry, rate }, priced),
    explain,
  };
}

type Amounts = Pick<PreviewedInvoice, 'lineItemsTotalAmount' | 'chargesTotalAmount' | 'taxTotalAmount' | 'totalAmount'>;

function amountsOf(priced: Priced | null): Amounts {
  if (!priced) return { lineItemsTotalAmount: null, chargesTotalAmount: null, taxTotalAmount: null, totalAmount: null };
  return {
    lineItemsTotalAmount: linesTotal(priced.lines).value,
    chargesTotalAmount: priced.charges.reduce((total, { amount }) => total.plus(amount.value), new Decimal(0)),
    taxTotalAmount: priced.tax?.value ?? null,
    totalAmount: priced.total.value,
  };
}

function totalsOf(invoices: readonly PreviewedInvoice[]): PreviewedTotal[] {
  const totals = new Map<string, PreviewedTotal>();
  for (const { side, currency, totalAmount } of invoices) {
    if (!totalAmount) continue;
    const key = `${side} ${currency}`;
    totals.set(key, { side, currency, totalAmount: totalAmount.plus(totals.get(key)?.totalAmount ?? 0) });
  }
  return [...totals.values()];
}
