import type { Request } from 'express';
import { Histogram } from 'prom-client';
import { metrics } from '../health.ts';
import { prefers } from '../rest/negotiation.ts';

const durations = new Histogram({
  name: 'haulgate_graphql_seconds',
  help: 'Time to answer an operation over GraphQL, by its name.',
  labelNames: ['operation'],
  buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 60],
  registers: [metrics],
});

/** Names that have a figure of their own: clients may invent as many as they like. */
const MOST_NAMES = 100;
const LONGEST_NAME = 60;
const names = new Set<string>();

/** Notes how long an operation took. @param name as its document says it; all without a name are one */
export function observeOperation(name: string | null | undefined, seconds: number): void {
  durations.observe({ operation: labelOf(name) }, seconds);
}

function labelOf(name: string | null | undefined): string {
  if (!name) return 'anonymous';
  if (!names.has(name)) {
    if (names.size >= MOST_NAMES || name.length > LONGEST_NAME) return 'other';
    names.add(name);
  }
  return name;
}

/** Whether the client wants to know what its document costs (`Prefer: cost`, RFC 7240). */
export const asksForCost = (req: Pick<Request, 'headers'>): boolean => prefers(req, 'cost');
