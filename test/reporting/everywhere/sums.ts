import { expect } from '@jest/globals';
import type { Biller, Books } from '../../billing/books.ts';
import type { StaffedTenant } from '../../helpers/staffed-tenant.ts';
import { loginOf, signerIn } from '../bi-logins.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

/** Sums by what they are of; without those of nothing. */
export type Sums = Record<string, number>;

export const round = (value: number, places: number): number => Math.round(value * 10 ** places) / 10 ** places;
/** Adds up values by their keys, to as many places as what is compared has. */
export function sums(rows: readonly Json[], keyOf: (row: Json) => string, amountOf: (row: Json) => unknown, places = 4): Sums {
  const found: Sums = {};
  for (const row of rows) found[keyOf(row)] = round((found[keyOf(row)] ?? 0) + Number(amountOf(row)), places);
  const isSomething = ([, value]: [string, number]) => value !== 0;
  return Object.fromEntries(
    Object.entries(found)
      .filter(isSomething)
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  );
}

/** All records of a list over REST. */
export async function listOf(by: Biller, path: string): Promise<Json[]> {
  const all: Json[] = [];
  for (let after = ''; ; ) {
    const { status, body, headers } = await by.http('GET', `${path}${path.includes('?') ? '&' : '?'}page[limit]=100${after}`);
    expect([path, status]).toEqual([path, 200]);
    all.push(...body.data);
    const next = /<[^>]*page(?:%5B|\[)after(?:%5D|\])=([^>&]+)[^>]*>; rel="next"/.exec(headers.get('link') ?? '')?.[1];
    if (!next) return all;
    after = `&page[after]=${next}`;
  }
}

/** The sum of a field of some records. */
export const sumOf = (rows: readonly Json[], field: string): number => rows.reduce((all, row) => all + Number(row[field]), 0);

/** The logins of companies, which have ten at most. */
const logins = new Map<string, Promise<Json>>();
/** Reads something as the BI tool of a company. */
export async function asTool<T>(books: Books, work: Parameters<ReturnType<typeof signerIn>>[1]): Promise<T> {
  const tenant = books.tenant as StaffedTenant;
  const login = logins.get(tenant.company.id) ?? loginOf(tenant);
  logins.set(tenant.company.id, login);
  return signerIn(books)(await login, work) as Promise<T>;
}
