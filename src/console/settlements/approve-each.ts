import { SignedOut } from '../server/request.ts';
import { type Draft, INVOICE_EVENTS } from './invoices-api.ts';

/**
 * Approves invoices one after the other: one that is refused keeps no other one from being approved.
 * @param onNext gets which one is next, from 1
 * @returns those that were refused, and why
 * @throws SignedOut when the session is over
 */
export async function approveEach(
  invoices: readonly Draft[],
  onNext: (at: number) => void,
): Promise<{ id: string; invoiceId: string; why: string }[]> {
  const refused = [];
  for (const [i, { id, invoiceId }] of invoices.entries()) {
    onNext(i + 1);
    try {
      await INVOICE_EVENTS.approve!(id);
    } catch (error) {
      if (error instanceof SignedOut) throw error;
      refused.push({ id, invoiceId, why: (error as Error).message });
    }
  }
  return refused;
}
