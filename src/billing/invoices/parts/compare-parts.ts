import { ref } from '@mikro-orm/core';
import type { TxContext } from '../../../platform/commands/transact.ts';
import type { Line } from '../../pricing/freight.ts';
import type { Priced } from '../../pricing/price.ts';
import type { Entry } from '../books-of-job.ts';
import { beginPart, follow } from '../following/follow-work.ts';
import type { Invoice } from '../invoice.entity.ts';
import { FOLLOWING, invoiceMachine, isSupplement } from '../invoice.machine.ts';
import { blockersOf } from '../price-entry.ts';
import { type Difference, differenceOf, type Wanted } from './difference.ts';
import { billsLateWork, ticketedLate } from './late-work.ts';
import { namesLoad } from './parts-of-work.ts';
import { type PricedLoads, type PricedPart, pendingSupplement, priceParts, type WorkOfSide } from './price-parts.ts';
import { rateOfPart } from './rates-of-parts.ts';

/** The invoices of a job on one side in one company's books, and what they depend on. */
export interface Compared extends WorkOfSide {
  /** The rate of what the company charges for the same work. */
  received: Entry['rate'];
}

/** The price of the work as it is now, in a comparison. */
interface Compares {
  /** Null while it has no price. */
  lines: Line[] | null;
  /** Those of the first part. */
  first: readonly Line[];
  rate: Entry['rate'];
  /** The charges that the parts have which follow the work. */
  charged: readonly string[];
  /** All invoices that there are of it now. */
  live: readonly Invoice[];
}

/**
 * Compares what should be billed of a job on one side with what is (BILLING B2.4): parts that follow the work say what it says, and what was billed
 * and is something else now is a difference, which a supplement bills. Without one, what was billed is `stale`.
 */
export async function compareParts(tx: TxContext, compared: Compared): Promise<Compares> {
  const { entry, live, itemsOf, copiesOf, received } = compared;
  const { parts, late } = priceParts(compared);
  const following = parts.filter(({ invoice }) => FOLLOWING.includes(invoice.state));
  for (const part of following) {
    const { invoice, job, rate, priced, ofWork } = part;
    const blockers = blockersOf(job, { ...entry, rate }, priced);
    follow(tx, invoice, { job, entry, rate, received, priced, ofWork, blockers, items: itemsOf(invoice), copies: copiesOf(invoice) });
  }
  const frozen = live.filter(({ state }) => !FOLLOWING.includes(state));
  const made = frozen.length > 0 ? await supplement(tx, compared, { parts, late, frozen }) : undefined;
  const all = [...parts, ...(late && frozen.length > 0 ? [late] : [])];
  return {
    lines: parts.every(({ priced }) => priced) ? all.flatMap(({ priced }) => priced?.lines ?? []) : null,
    first: parts.find(({ invoice }) => invoice === live[0])?.priced?.lines ?? [],
    rate: rateOfPart(live[0]!, compared),
    charged: following.flatMap(({ priced }) => priced?.charges.flatMap(({ id }) => id ?? []) ?? []),
    live: made ? [...live, made] : live,
  };
}

interface Billing {
  parts: readonly PricedPart[];
  late: PricedLoads | null;
  /** The parts that were billed, and stay as they are. */
  frozen: readonly Invoice[];
}

/** What differs from what was billed, and of which parts it is. */
interface Differing {
  /** Null while something of it has no price. */
  difference: Difference | null;
  /** The same without what somebody set by hand on late work. */
  ofWork: () => Difference | null;
  /** The billed parts from which it differs. */
  parts: readonly Invoice[];
  /** The part that a supplement of it names. */
  parent: Invoice;
  /** The part or parts that late work is of; undefined if there is none. */
  lateParts: readonly Invoice[] | undefined;
  isLateLine(line: Line): boolean;
}

function whatDiffers(compared: Compared, { parts, late, frozen }: Billing): Differing {
  const { live, itemsOf, copiesOf } = compared;
  const billed = parts.filter(({ invoice }) => !FOLLOWING.includes(invoice.state));
  const differ = (lateWork: Priced | null): Difference | null =>
    billed.every(({ priced }) => priced)
      ? differenceOf(
          [...billed.map(wantedOf), ...(late && lateWork ? [{ ...wantedOf(late), priced: lateWork }] : [])],
          frozen.map((invoice) => ({
            invoice,
            items: itemsOf(invoice),
            charges: copiesOf(invoice),
            rebilled: compared.rebilledOf(invoice),
          })),
        )
      : null;
  const difference = differ(late?.priced ?? null);
  const regular = frozen.filter((one) => !isSupplement(one));
  const partsOf = (lines: readonly Line[] = []) => billedParts(lines, { billed, frozen, itemsOf });
  const differing = partsOf(difference?.lines);
  const named = (differing.length > 0 ? differing : regular).find(({ id }) => id === pendingSupplement(live)?.parentInvoice?.id);
  // What is no line of any, such as late work, a charge, or a price that is not known, is of the first part unless somebody named another one.
  const parent = named ?? differing[0] ?? regular[0] ?? frozen[0]!;
  const ticketed = ticketedLate(
    billed.flatMap((one) => one.job.loads),
    frozen,
    difference?.lines ?? [],
  );
  const lateIds = new Set(ticketed.map(({ id }) => id));
  const isLateLine = ({ correctsId, loadId }: Line) => !correctsId || (loadId !== null && lateIds.has(loadId));
  const isLate = difference !== null && ((late?.priced && !late.priced.total.value.isZero()) || ticketed.length > 0);
  const ofLate = partsOf(difference?.lines.filter(isLateLine));
  return {
    ...{ difference, parts: differing, parent, isLateLine },
    ofWork: () => (late && late.priced !== late.ofWork ? differ(late.ofWork) : difference),
    lateParts: isLate ? (ofLate.length > 0 ? ofLate : [parent]) : undefined,
  };
}

/**
 * Bills what differs from what was billed, if there is a supplement or late work of which there has to be one.
 * @returns a supplement that was not there before
 */
async function supplement(tx: TxContext, compared: Compared, billing: Billing): Promise<Invoice | undefined> {
  const { job, entry, live, itemsOf, copiesOf, received } = compared;
  const { late, frozen } = billing;
  const { difference, ofWork, parts, parent, lateParts, isLateLine } = whatDiffers(compared, billing);
  const present = pendingSupplement(live);
  // An approval is not taken back while there is a supplement. What became of the other parts is no matter of it. One that was voided comes again, like any
  // invoice, as long as there is something to bill.
  const isBilledByItself = lateParts && !present && (await billsLateWork(tx, [...lateParts, ...frozen.filter(isSupplement)]));
  const made = isBilledByItself
    ? await beginPart(tx, job, entry, {
        part: Math.max(...live.map(({ part }) => part)) + 1,
        reason: 'late_ticket',
        parentInvoice: ref(parent),
      })
    : undefined;
  const invoice = present ?? made;
  const isCovered = invoice !== undefined && difference !== null;
  // Late work without a price, because somebody has to complete its load, is a difference that nobody can bill yet.
  const isSame = difference?.total.value.isZero() === true && late?.priced !== null;
  for (const one of frozen) one.stale = !isCovered && !isSame && (one === parent || parts.includes(one));
  if (!invoice) return undefined;
  if (isCovered) invoice.parentInvoice = ref(parent);
  // Whoever takes all its lines off decides not to bill them, and approves that.
  if (difference?.isNone && invoice.removedLines.length === 0) {
    invoiceMachine.fire(tx, invoice, 'void');
    return made;
  }
  if (difference) invoice.reason = difference.lines.some(isLateLine) ? 'late_ticket' : 'correction';
  const rate = rateOfPart(parent, compared);
  const ofLate = difference && { ...difference, lines: difference.lines.filter(({ correctsId }) => !correctsId) };
  follow(tx, invoice, {
    ...{ job, entry, rate, received, priced: difference, items: itemsOf(invoice), copies: copiesOf(invoice) },
    ofWork: ofWork(),
    blockers: blockersOf(job, { ...entry, rate }, ofLate),
    ...(difference ? { difference } : {}),
  });
  return made;
}

const wantedOf = ({ priced, itemized }: PricedLoads): Wanted => ({ priced: priced!, itemized });

/**
 * The billed parts of some lines of a difference, in their order: a supplement bills what differs from one of them, and they are stale without one. A
 * supplement is no part of which another one bills the difference.
 */
function billedParts(
  lines: readonly Line[],
  { billed, frozen, itemsOf }: Pick<Billing, 'frozen'> & Pick<Compared, 'itemsOf'> & { billed: readonly PricedPart[] },
): Invoice[] {
  const ofLine = new Map(frozen.flatMap((invoice) => itemsOf(invoice).map(({ id }) => [id, invoice] as const)));
  const ofLoad = new Map(billed.flatMap(({ invoice, job }) => job.loads.map(({ id }) => [id, invoice] as const)));
  const partOf = ({ correctsId, loadId }: Line): Invoice | undefined =>
    correctsId
      ? ofLine.get(correctsId)
      : // The load of a line that was taken off before the approval is no load of that part any more when it is late.
        loadId === null
        ? undefined
        : (ofLoad.get(loadId) ?? frozen.find((one) => namesLoad(one, loadId)));
  const found = new Set(lines.map(partOf));
  return frozen.filter((one) => found.has(one) && !isSupplement(one));
}
