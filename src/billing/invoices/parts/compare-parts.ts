import { ref } from '@mikro-orm/core';
import type { TxContext } from '../../../platform/commands/transact.ts';
import type { AddOnCharge } from '../../charges/add-on-charge.entity.ts';
import type { Line } from '../../pricing/freight.ts';
import type { Priced } from '../../pricing/price.ts';
import type { Entry } from '../books-of-job.ts';
import { begin, follow } from '../following/follow-work.ts';
import type { Invoice, InvoiceLineItem } from '../invoice.entity.ts';
import { FOLLOWING, invoiceMachine, isSupplement } from '../invoice.machine.ts';
import type { JobFacts } from '../job-facts.ts';
import { editsOf } from '../lines/edits-of-lines.ts';
import { type Around, blockersOf, priceEntry } from '../price-entry.ts';
import { isSettledWork } from '../work-of-job.ts';
import { rateOf } from '../write-price.ts';
import { type Difference, differenceOf } from './difference.ts';
import { billsLateWork } from './late-work.ts';
import { divideWork } from './parts-of-work.ts';

/** The invoices of a job on one side in one company's books, and what they depend on. */
export interface Compared {
  job: JobFacts;
  entry: Entry;
  /** In the order of their parts. */
  live: readonly Invoice[];
  /** What the company charges for the same work, of which commissions are a share. */
  receivable: readonly Line[] | undefined;
  /** The rate of that. */
  received: Entry['rate'];
  itemsOf(invoice: Invoice): readonly InvoiceLineItem[];
  copiesOf(invoice: Invoice): readonly AddOnCharge[];
}

/** What the work comes to as it is now. */
interface Wanted {
  /** Null while it has no price. */
  lines: Line[] | null;
  rate: Entry['rate'];
}

/** The rate of a part: the one that somebody set on it, or that corrected it since it was billed, or the one that was noted. */
function rateOfPart(invoice: Invoice, { live, entry }: Compared): Entry['rate'] {
  const corrected = live.findLast((one) => isSupplement(one) && one.byHand);
  if (corrected && (isSupplement(invoice) || !FOLLOWING.includes(invoice.state))) return rateOf(corrected);
  const own = isSupplement(invoice) ? live.find((one) => !isSupplement(one))! : invoice;
  return own.byHand ? rateOf(own) : entry.rate;
}

/**
 * Compares what should be billed of a job on one side with what is (BILLING B2.4): parts that follow the work say what it says, and what was billed
 * and is something else now is a difference, which a supplement bills. Without one, what was billed is `stale`.
 */
export async function compareParts(tx: TxContext, compared: Compared): Promise<Wanted> {
  const { job, entry, live } = compared;
  const { parts, late } = divideWork(job, live, compared.itemsOf);
  const lines: Line[] = [];
  const billed: Priced[] = [];
  let isPriced = true;
  for (const { invoice, job: part } of parts) {
    const items = compared.itemsOf(invoice);
    const rate = rateOfPart(invoice, compared);
    const around = aroundOf(compared, invoice, part);
    const isDone = isSettledWork(part);
    const edits = editsOf(
      part,
      invoice,
      items.filter(({ correctsId }) => !correctsId),
    );
    const ofWork = isDone ? priceEntry(part, { ...entry, rate }, around) : null;
    const priced = isDone && edits.length > 0 ? priceEntry(part, { ...entry, rate }, { ...around, edits }) : ofWork;
    lines.push(...(priced?.lines ?? []));
    isPriced &&= priced !== null;
    const blockers = blockersOf(part, { ...entry, rate }, priced);
    if (!FOLLOWING.includes(invoice.state)) {
      if (priced) billed.push(priced);
    } else
      follow(tx, invoice, {
        ...{ job: part, entry, rate, received: compared.received, priced, ofWork, blockers, items },
        copies: compared.copiesOf(invoice),
      });
  }
  const frozen = live.filter(({ state }) => !FOLLOWING.includes(state));
  if (frozen.length > 0) {
    const extra = await supplement(tx, compared, { late, billed: isPriced ? billed : null, frozen });
    lines.push(...(extra?.lines ?? []));
  }
  return { lines: isPriced ? lines : null, rate: rateOfPart(live[0]!, compared) };
}

function aroundOf({ receivable, entry, job }: Compared, invoice: Invoice | undefined, part: JobFacts): Around {
  const own = new Set(part.loads.map(({ id }) => id));
  return {
    receivable: receivable?.filter(({ loadId }) => loadId === null || own.has(loadId)),
    ...(invoice ? { invoiceId: invoice.id } : {}),
    itemized: entry.isTop && job.itemized,
  };
}

interface Frozen {
  late: JobFacts | null;
  /** What the parts that were billed come to now; null while they have no price. */
  billed: readonly Priced[] | null;
  frozen: readonly Invoice[];
}

/** Bills what differs from what was billed, if there is a supplement or late work of which there has to be one. @returns the price of late work */
async function supplement(tx: TxContext, compared: Compared, { late, billed, frozen }: Frozen): Promise<Priced | null> {
  const { job, entry, live } = compared;
  const present = live.find((one) => isSupplement(one) && FOLLOWING.includes(one.state));
  const rate = present ? rateOfPart(present, compared) : rateOfPart(frozen.at(-1)!, compared);
  const items = present ? compared.itemsOf(present) : [];
  const edits =
    present && late
      ? editsOf(
          late,
          present,
          items.filter(({ correctsId }) => !correctsId),
        )
      : [];
  const price = late && isSettledWork(late) ? priceEntry(late, { ...entry, rate }, { ...aroundOf(compared, present, late), edits }) : null;
  const difference =
    billed &&
    differenceOf(
      [...billed, ...(price ? [price] : [])],
      frozen.map((invoice) => billedOf(compared, invoice)),
      entry.isTop && job.itemized,
    );
  const parent = frozen.find((one) => !isSupplement(one)) ?? frozen[0]!;
  const invoice =
    present ??
    (difference && late && price && !price.total.value.isZero() && (await billsLateWork(tx, frozen, late))
      ? await begin(tx, job, entry, {
          part: Math.max(...live.map(({ part }) => part)) + 1,
          reason: 'late_ticket',
          parentInvoice: ref(parent),
        })
      : undefined);
  const isCovered = invoice !== undefined && difference !== null;
  for (const one of frozen) one.stale = !isCovered && !isSame(difference, one, parent);
  if (!invoice) return price;
  if (difference?.isNone) {
    invoiceMachine.fire(tx, invoice, 'void');
    return price;
  }
  if (difference) invoice.reason = difference.lines.some(({ correctsId }) => !correctsId) ? 'late_ticket' : 'correction';
  const ofLate = difference && { ...difference, lines: difference.lines.filter(({ correctsId }) => !correctsId) };
  follow(tx, invoice, {
    ...{ job, entry, rate, received: compared.received, priced: difference, ofWork: difference, items },
    blockers: blockersOf(job, { ...entry, rate }, ofLate),
    copies: compared.copiesOf(invoice),
    ...(difference ? { difference } : {}),
  });
  return price;
}

const billedOf = ({ itemsOf, copiesOf }: Compared, invoice: Invoice) => ({ invoice, items: itemsOf(invoice), charges: copiesOf(invoice) });

/** What was billed is stale if all of it together is not what the work comes to; the first part says so. */
const isSame = (difference: Difference | null, invoice: Invoice, parent: Invoice): boolean =>
  invoice !== parent || difference?.total.value.isZero() === true;
