import { makeStaffedTenant } from '../../helpers/staffed-tenant.ts';
import { type Books, billerOf, messages } from '../books.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

/** The day of the work of these tests, and the one after it. */
export const DAY = '2026-11-23';
export const NEXT = '2026-11-24';

/** Another company in the same application, whose books nobody has closed. */
export async function openBooks({ app }: Pick<Books, 'app'>, company: object = {}): Promise<Books> {
  const tenant = await makeStaffedTenant(app, company);
  return { app, tenant, biller: await billerOf(tenant) };
}

export const periods = ({ biller }: Books, path = ''): string => biller.path(`/billing/periods${path}`);
export const close = (books: Books, body: object = { ends_on: DAY }) => books.biller.http('POST', periods(books), body);
export const closed = (books: Books, body: object = { ends_on: DAY }): Promise<Json> => books.biller.must('POST', periods(books), body);
export const reopen = (books: Books, id: string, reason = 'a mistake') =>
  books.biller.http('PUT', periods(books, `/${id}/reopen`), { reason });

/** The status of an answer and its messages. */
export const said = (answer: Json): [number, string[]] => [answer.status, answer.body?.error ? messages(answer) : []];

const TOTALS = `query ($company: ID!, $period: ID!) {
  invoices(companyId: $company, filter: { billingPeriodId: $period }, first: 100) { nodes { id side totalAmount postingDate vendorAccount { id } } }
  settlements(companyId: $company, filter: { billingPeriodId: $period }, first: 100) { nodes { id side totalAmount rebillTotalAmount } }
}`;

/** Returns the sums of the lists of a period. */
export async function listedIn(
  { tenant, biller }: Books,
  period: string,
): Promise<{ receivables: number; payables: number; settled: number }> {
  const { data, errors } = await tenant.gql(TOTALS, { company: tenant.company.id, period }, biller.token);
  if (errors) throw new Error(JSON.stringify(errors));
  const sum = (list: Json[], of: (one: Json) => string): number =>
    Math.round(list.reduce((all, one) => all + Number(of(one)) * 100, 0)) / 100;
  const ofSide = (side: string) => data.invoices.nodes.filter((one: Json) => one.side === side);
  return {
    receivables: sum(ofSide('receivable'), (one) => one.totalAmount),
    payables: sum(ofSide('payable'), (one) => one.totalAmount),
    settled: sum(data.settlements.nodes, (one) => one.rebillTotalAmount ?? one.totalAmount),
  };
}

const DATED = `query ($company: ID!) { invoices(companyId: $company, filter: { invoiceCategory: receivables }, first: 100) { nodes {
  id invoiceId part reason state stale totalAmount serviceDate postingDate forPeriod { id endsOn } job { id } } } }`;

/** The receivables of a job with the days on which they count, in the order of their parts. */
export async function datesOf({ app, tenant, biller }: Books, job: string): Promise<Json[]> {
  await app.settled();
  const { data, errors } = await tenant.gql(DATED, { company: tenant.company.id }, biller.token);
  if (errors) throw new Error(JSON.stringify(errors));
  return data.invoices.nodes.filter((one: Json) => one.job?.id === job).toSorted((a: Json, b: Json) => a.part - b.part);
}
