import type { UnitOfMeasure } from '../../directory/master-data/units.ts';
import { convert } from '../../dispatch/model/units-of-rates.ts';
import { Decimal } from '../../platform/decimal.ts';
import type { AiReviewStatus } from './ai-review.entity.ts';
import { farFromOthers } from './outlier.ts';

/** A ticket, as a review reads it. */
export interface ReviewedTicket {
  id: string;
  number: string | null;
  quantity: Decimal | null;
  unit: UnitOfMeasure;
  /** The truck, by the name that tickets of the order have for it. */
  truck: string | null;
  /** Milliseconds of the epoch. */
  served: number | null;
}

/** A value that a reader recognised, and how sure it is, in per cent. */
interface Seen {
  value: string;
  confidence: number;
}

/** The facts of a load when it is reviewed. The review is a function of them and of the company's limits. */
export interface ReviewFacts {
  /** Absent for a load without one. */
  ticket?: ReviewedTicket & {
    gross: Decimal | null;
    tare: Decimal | null;
    hasImage: boolean;
    materialId: string | null;
    /** The date of its service, in the company's zone. */
    servedOn: string | null;
    /** The picture was read, and nothing was recognised. */
    unreadable: boolean;
    /** The values that were recognised in the picture, taken over or not; null if nobody read it. */
    seen?: { number: Seen | null; quantity: Seen | null } | null;
  };
  /** As reported, for a load without a ticket. */
  quantity: Decimal | null;
  unit: UnitOfMeasure | null;
  materialId: string | null;
  /** The dates of the shift in which it was hauled; empty if they are not known. */
  dates: string[];
  /** The capacity of its kind of truck, in each unit that is known. */
  capacities: { capacity: Decimal; unit: UnitOfMeasure }[];
  /** Another ticket with this number, of the same customer. */
  numberUsedBy: string | null;
  /** All live tickets of the order, the load's among them. */
  ofOrder: ReviewedTicket[];
  /** Minutes at the pickup and at the drop-off, as far as they are known. */
  onSite: number[];
  /** Minutes from this load's arrival to the next one's, and the median of the order's. */
  cycle: number | null;
  usualCycle: number | null;
  /** Whether the truck entered the pickup around the time of service; null if nobody watched. */
  truckThere: boolean | null;
}

/** The limits of a company (PROOF A4). */
export interface ReviewLimits {
  overCapacityPercent: number;
  outlierDeviations: number;
  nearDuplicateMinutes: number;
  shortestOnSiteMinutes: number;
  longestOnSiteMinutes: number;
  /** Below so many per cent of confidence a load is flagged. */
  flagBelowPercent: number;
}

export interface Review {
  status: AiReviewStatus;
  /** From 0 to 1, with two digits. */
  confidence: Decimal;
  issues: string[];
}

type Rule = (facts: ReviewFacts, limits: ReviewLimits) => string | undefined;
/** A code, the hundredths of confidence that it costs, the status that it decides, and the rule, which says why. */
type Row = readonly [code: string, weight: number, rule: Rule, status?: AiReviewStatus];

const when = (met: unknown, why: () => string): string | undefined => (met ? why() : undefined);
/** A lack, and what was read without being taken over, for whoever has to decide. */
const doubted = (lack: string, seen: Seen | null | undefined): string =>
  seen ? `${lack}; ${seen.value} was read, ${seen.confidence} % sure` : lack;
const minutes = (from: number, to: number) => Math.abs(from - to) / 60_000;

const RULES: readonly Row[] = [
  [
    'duplicate_number',
    0,
    ({ numberUsedBy, ticket }) => when(numberUsedBy !== null, () => `${ticket?.number} is the number of another ticket`),
    'duplicate',
  ],
  ['unreadable', 0, ({ ticket }) => when(ticket?.unreadable, () => 'nothing was recognised in the picture'), 'unreadable'],
  ['near_duplicate', 50, nearDuplicate],
  ['over_capacity', 40, overCapacity],
  ['outlier', 40, outlier],
  [
    'missing_quantity',
    60,
    ({ ticket, quantity }) =>
      when((ticket ? ticket.quantity : quantity) === null, () => doubted('nobody says how much it was', ticket?.seen?.quantity)),
  ],
  ['zero_quantity', 60, ({ ticket, quantity }) => when((ticket ? ticket.quantity : quantity)?.isZero(), () => 'the quantity is 0')],
  ['missing_number', 60, ({ ticket }) => when(!ticket?.number, () => doubted('the ticket has no number', ticket?.seen?.number))],
  ['missing_image', 60, ({ ticket }) => when(!ticket?.hasImage, () => 'the ticket has no picture')],
  [
    'wrong_day',
    30,
    ({ ticket, dates }) =>
      when(
        ticket?.servedOn && dates.length > 0 && !dates.includes(ticket.servedOn),
        () => `served on ${ticket?.servedOn}, hauled on ${dates[0]}`,
      ),
  ],
  [
    'wrong_material',
    30,
    ({ ticket, materialId }) =>
      when(ticket?.materialId && materialId && ticket.materialId !== materialId, () => 'the load is of another material'),
  ],
  [
    'wrong_unit',
    30,
    ({ ticket, unit }) =>
      when(ticket && unit && !convert(new Decimal(1), ticket.unit, unit), () => `${ticket?.unit} does not convert to ${unit}`),
  ],
  ['weights_do_not_add', 50, weightsDoNotAdd],
  ['onsite_out_of_range', 20, onSiteOutOfRange],
  [
    'cycle_out_of_range',
    20,
    ({ cycle, usualCycle }) =>
      when(
        cycle !== null && usualCycle !== null && (cycle < usualCycle / 2 || cycle > usualCycle * 2),
        () => `${cycle} min, usually ${usualCycle}`,
      ),
  ],
  ['truck_not_there', 40, ({ truckThere }) => when(truckThere === false, () => 'the truck was not at the pickup')],
];

const PRECEDENCE: readonly AiReviewStatus[] = ['duplicate', 'unreadable'];

/** Reviews a load by the table of PROOF A4: the same facts and limits give the same review, and an issue more never raises the confidence. */
export function reviewLoad(facts: ReviewFacts, limits: ReviewLimits): Review {
  const found = RULES.flatMap(([code, weight, rule, status]) => {
    const why = rule(facts, limits);
    return why === undefined ? [] : [{ issue: `${code}: ${why}`, weight, status }];
  });
  const left = Math.max(
    0,
    found.reduce((rest, { weight }) => rest - weight, 100),
  );
  const decided = PRECEDENCE.find((status) => found.some((one) => one.status === status));
  return {
    status: decided ?? (left < limits.flagBelowPercent ? 'flagged' : 'approved'),
    confidence: new Decimal(left).div(100),
    issues: found.map(({ issue }) => issue),
  };
}

function nearDuplicate({ ticket, ofOrder }: ReviewFacts, { nearDuplicateMinutes }: ReviewLimits): string | undefined {
  if (!ticket?.quantity || !ticket.truck || ticket.served === null) return undefined;
  const { quantity, truck, unit, served } = ticket;
  const twin = ofOrder.find(
    (one) =>
      one.id !== ticket.id &&
      one.truck === truck &&
      one.unit === unit &&
      one.quantity?.eq(quantity) &&
      one.served !== null &&
      minutes(one.served, served) <= nearDuplicateMinutes,
  );
  return twin && `${twin.number ?? 'another ticket'} has the same truck and quantity at the same time`;
}

function overCapacity({ ticket, quantity, unit, capacities }: ReviewFacts, { overCapacityPercent }: ReviewLimits): string | undefined {
  const [given, of] = ticket ? [ticket.quantity, ticket.unit] : [quantity, unit];
  const holds = capacities.find((one) => one.unit === of)?.capacity;
  if (!given || !holds || holds.lte(0) || given.lte(holds.mul(100 + overCapacityPercent).div(100))) return undefined;
  const over = given.div(holds).minus(1).mul(100).toDecimalPlaces(0);
  return `${given} ${of}, truck holds ${holds} (${over} % over)`;
}

function outlier({ ticket, ofOrder }: ReviewFacts, { outlierDeviations }: ReviewLimits): string | undefined {
  if (!ticket?.quantity) return undefined;
  const { unit, quantity } = ticket;
  const all = ofOrder.flatMap((one) => (one.quantity && convert(one.quantity, one.unit, unit)) ?? []);
  const usual = farFromOthers(quantity, all, outlierDeviations);
  return usual && `${quantity} ${unit}, usually ${usual}`;
}

function weightsDoNotAdd({ ticket }: ReviewFacts): string | undefined {
  if (!ticket?.gross || !ticket.tare || !ticket.quantity) return undefined;
  const { gross, tare, quantity } = ticket;
  return when(gross.minus(tare).minus(quantity).abs().gt('0.02'), () => `${gross} less ${tare} is not ${quantity}`);
}

function onSiteOutOfRange(
  { onSite }: ReviewFacts,
  { shortestOnSiteMinutes: least, longestOnSiteMinutes: most }: ReviewLimits,
): string | undefined {
  const wrong = onSite.find((spent) => spent < least || spent > most);
  return wrong === undefined ? undefined : `${wrong} min at a site, which is not from ${least} to ${most}`;
}
