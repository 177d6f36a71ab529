import { hauled, M10, makeBooks } from '../billing/books.ts';
import { makeStaffedTenant } from '../helpers/staffed-tenant.ts';
import { CHICAGO, signerIn } from './bi-logins.ts';

export const books = makeBooks();
export const signedIn = signerIn(books);

export const RATES = { customer_rate_value: 4.25, customer_rate_type: 'RatePerTon', driver_rate_value: 2, driver_rate_type: 'RatePerTon' };

/** A company that hauled M10 and nine tons on two days, and seven yards. */
async function haul() {
  const at = await makeStaffedTenant(books.app, CHICAGO);
  const first = await hauled(books, M10, { at, order: { ...RATES, load_at: '2026-11-02T13:00:00Z' } });
  const second = await hauled(books, ['9', null], { at, order: { ...RATES, load_at: '2026-11-04T05:30:00Z' } });
  await at.must('PATCH', `/v1/loads/${second.loads[1].id}`, { quantity: 7, unit_of_measure: 'Yard' });
  await books.app.settled();
  return { at, first, second };
}
let made: ReturnType<typeof haul> | undefined;
/** The same for every test, because none changes it. */
export const scene = () => (made ??= haul());
