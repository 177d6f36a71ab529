/**
 * The end of somebody's view of the database: they have seen everything that the primary had written up to this place in its log. A failover begins a new history
 * of the log, whose places are counted on from the one before.
 */
export interface Position {
  /** The history (PostgreSQL's timeline). */
  timeline: number;
  /** The place in the log (PostgreSQL's LSN). */
  lsn: bigint;
}

const FORM = /^(\d{1,9})-([\da-f]{1,8})\/([\da-f]{1,8})$/i;

/** Reads a position as clients send it back, `3-0/16B3748`. @returns undefined for any other text */
export function positionOf(text: string): Position | undefined {
  const [, timeline, high, low] = FORM.exec(text.trim()) ?? [];
  return timeline === undefined ? undefined : { timeline: Number(timeline), lsn: (BigInt(`0x${high}`) << 32n) | BigInt(`0x${low}`) };
}

export const positionText = ({ timeline, lsn }: Position): string => `${timeline}-${lsnText(lsn)}`;

/** Reads an LSN as PostgreSQL writes it, `0/16B3748`. */
export function lsnOf(text: string): bigint {
  const [high, low] = text.split('/');
  return (BigInt(`0x${high}`) << 32n) | BigInt(`0x${low}`);
}

export const lsnText = (lsn: bigint): string => `${(lsn >> 32n).toString(16)}/${(lsn & 0xffff_ffffn).toString(16)}`.toUpperCase();

/** The position of everything that is before one of them. */
export function later(one: Position | undefined, other: Position | undefined): Position | undefined {
  if (!one || !other) return one ?? other;
  return { timeline: Math.max(one.timeline, other.timeline), lsn: one.lsn > other.lsn ? one.lsn : other.lsn };
}
