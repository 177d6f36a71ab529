import { type Biller, type Books, makeBooks } from '../books.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

export const books = makeBooks({ worker: true });
export const RATES = { customer_rate_value: 4.25, customer_rate_type: 'RatePerTon', driver_rate_value: 1, driver_rate_type: 'RatePerTon' };

/** Returns the comparisons of some side, the most at stake first. */
export async function matches({ app }: Pick<Books, 'app'>, by: Biller, query = 'filter[side]=receivable'): Promise<Json[]> {
  await app.settled();
  return by.must('GET', by.path(`/billing/load_matches?${query}`));
}
