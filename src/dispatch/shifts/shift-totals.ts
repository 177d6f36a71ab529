/** A span of a day in which the driver was on duty or on a break, in milliseconds; without an end while it lasts. */
export interface ShiftSpan {
  state: 'on_duty' | 'break';
  from: number;
  to: number | null;
}

/** The times of which the totals of a day are made, in milliseconds. */
export interface ShiftTimes {
  /** In order, and none overlaps another. */
  spans: readonly ShiftSpan[];
  ended: boolean;
  adjustedStart: number | null;
  adjustedEnd: number | null;
  adjustmentMinutes: number;
  /** Whether the driver's company pays for breaks. */
  breaksPaid: boolean;
}

/** Minutes of a day. Those of a shift that lasts are null, except its finished breaks. */
export interface ShiftTotals {
  onDuty: number | null;
  break: number;
  shift: number | null;
  payable: number | null;
}

const MINUTE = 60_000;

/** The minutes of a day (PROOF A3): whole, rounded down for each span, and computed from instants, so that no change of clocks matters. */
export function totalsOf(times: ShiftTimes): ShiftTotals {
  const spans = correctedSpans(times);
  const breaks = minutesIn(spans, 'break');
  if (!times.ended) return { onDuty: null, break: breaks, shift: null, payable: null };
  const onDuty = minutesIn(spans, 'on_duty');
  return {
    onDuty,
    break: breaks,
    shift: Math.max(0, onDuty + breaks + times.adjustmentMinutes),
    payable: Math.max(0, onDuty + (times.breaksPaid ? breaks : 0) + times.adjustmentMinutes),
  };
}

/** Minutes of a day up to an instant, with the span that lasts. */
export function minutesUntil(times: ShiftTimes, now: number): { onDuty: number; break: number } {
  const closed = times.spans.map((span) => ({ ...span, to: span.to ?? Math.max(span.from, now) }));
  const spans = correctedSpans({ ...times, spans: closed });
  return { onDuty: minutesIn(spans, 'on_duty'), break: minutesIn(spans, 'break') };
}

/**
 * The spans as they were corrected: cut to the corrected start and end. A start before the first span, or an end after the last one, was
 * worked too.
 */
function correctedSpans({ spans, ended, adjustedStart, adjustedEnd }: ShiftTimes): ShiftSpan[] {
  const first = spans[0]?.from;
  const last = spans.at(-1)?.to;
  const end = ended ? adjustedEnd : null;
  const cut = spans.flatMap((span) => {
    const from = Math.max(span.from, adjustedStart ?? span.from);
    const to = span.to === null ? null : Math.min(span.to, end ?? span.to);
    return to !== null && to <= from ? [] : [{ ...span, from, to }];
  });
  if (cut.length === 0) {
    const from = adjustedStart ?? first;
    const to = end ?? last;
    return from !== undefined && typeof to === 'number' && to > from ? [{ state: 'on_duty', from, to }] : [];
  }
  if (adjustedStart !== null && first !== undefined && adjustedStart < first) worked(cut, 'from', adjustedStart);
  if (end !== null && typeof last === 'number' && end > last) worked(cut, 'to', end);
  return cut;
}

/** Lengthens the first or last span on duty to an instant. Next to a break, a span on duty is added. */
function worked(spans: ShiftSpan[], side: 'from' | 'to', at: number): void {
  const span = side === 'from' ? spans[0]! : spans.at(-1)!;
  if (span.state === 'on_duty') span[side] = at;
  else if (side === 'from') spans.unshift({ state: 'on_duty', from: at, to: span.from });
  else spans.push({ state: 'on_duty', from: span.to!, to: at });
}

const minutesIn = (spans: readonly ShiftSpan[], state: ShiftSpan['state']): number =>
  spans.reduce((sum, span) => sum + (span.state === state && span.to !== null ? Math.floor((span.to - span.from) / MINUTE) : 0), 0);

/** Milliseconds of the longest finished break. */
export const longestBreak = (times: ShiftTimes): number =>
  correctedSpans(times).reduce((most, { state, from, to }) => (state === 'break' && to !== null ? Math.max(most, to - from) : most), 0);
