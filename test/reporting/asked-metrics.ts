import { expect } from '@jest/globals';
import { hauled, M10, makeBooks } from '../billing/books.ts';
import { makeStaffedTenant, type StaffedTenant } from '../helpers/staffed-tenant.ts';
import { type Person } from '../helpers/tenant.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

export const books = makeBooks();
export const CHICAGO = { timeZone: 'America/Chicago', currency: 'USD' };

export type Asking = Pick<Person, 'http'> & { path: StaffedTenant['path'] };
export const by = (person: Person, { path }: StaffedTenant): Asking => ({ http: person.http, path });
export const asked = (who: Asking, query: string) => who.http('GET', who.path(`/metrics?${query}`));
/** The groups as `keys -> measure unit value`. */
export async function groupsOf(who: Asking, query: string): Promise<[string, ...string[]][]> {
  const { status, body } = await asked(who, query);
  expect([status, body.error]).toEqual([200, undefined]);
  return body.data.map(({ keys, values }: Json) => [
    keys.map(({ label, value }: Json) => label ?? value).join(' '),
    ...values.map(({ measure, unit, value }: Json) => [measure, unit, value].filter((one) => one !== null).join(' ')),
  ]);
}
export const measured = async (who: Asking, query: string): Promise<string[]> => (await groupsOf(who, query))[0]!.slice(1);

/** A company that hauled M10 on one day and 10 tons, of which one has no ticket, on another, and 7 yards. */
export async function scene() {
  const at = await makeStaffedTenant(books.app, CHICAGO);
  const rates = { customer_rate_value: 4.25, customer_rate_type: 'RatePerTon', driver_rate_value: 2, driver_rate_type: 'RatePerTon' };
  const first = await hauled(books, M10, { at, order: { ...rates, load_at: '2026-11-02T13:00:00Z' } });
  const second = await hauled(books, ['9', null, null], { at, order: { ...rates, load_at: '2026-11-04T05:30:00Z' } });
  await at.must('PATCH', `/v1/loads/${second.loads[1].id}`, { quantity: 1, unit_of_measure: 'Ton' });
  await at.must('PATCH', `/v1/loads/${second.loads[2].id}`, { quantity: 7, unit_of_measure: 'Yard' });
  await books.app.settled();
  return { at, first, second, biller: by(await at.person({ roles: ['biller'] }), at), admin: by(at.admin, at) };
}
