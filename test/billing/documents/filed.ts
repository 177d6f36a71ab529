import { beforeAll, expect } from '@jest/globals';
import { type Books, chargesOfM20, event, hauled, invoiceOf, M10, makeBooks } from '../books.ts';
import { approvedInvoice, settle } from '../settled.ts';
import { cents } from './read-files.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

/** A name that spreadsheets and QuickBooks could misunderstand. */
const NAME = '=Béton "Łódź"\tSud';

/** Approved settlements of a company that keeps its books elsewhere. */
export interface Filed {
  books: Books;
  /** The token of an administrator. */
  admin: string;
  /** M20 with a discount, of which `job` is the job. */
  bill: Json;
  /** Of the same customer, without tax. */
  small: Json;
  /** The pay of a driver. */
  pay: Json;
  /** Not approved. */
  draft: Json;
}

/** Makes the records that are there when the tests of a file begin. */
export function makeFiled(): Filed {
  const books = makeBooks();
  const filed = { books } as Filed;
  beforeAll(async () => {
    const { biller, tenant } = books;
    const admin = await tenant.administrator();
    await tenant.must('PATCH', `/v1/accounts/${tenant.account.id}`, { name: NAME }, admin);
    const discount = { name: '-2 % discount', add_on_rate_type: 'RatePercentOfTotal', percentage: -2 };
    await tenant.must('POST', `/v1/accounts/${tenant.account.id}/auto_add_on_assignments`, {
      ...{ account_type: 'customer', add_on_types: ['settlement'], quantity: '1', ...discount },
    });
    const { fuel, wash, order } = await chargesOfM20(books);
    const approve = async (settlement: Json) => biller.must('PUT', biller.path(`/settlements/${settlement.id}/approve`), {});
    const invoice = await approvedInvoice(books, M10, { order, charges: [fuel, wash] });
    const bill = { ...(await approve(await settle(books, [invoice]))), job: invoice.job };
    const perTon = { customer_rate_value: 5, customer_rate_type: 'RatePerTon' };
    const small = await approve(await settle(books, [await approvedInvoice(books, ['1'], { order: perTon })]));
    const draft = await settle(books, [await approvedInvoice(books, ['1'], { order: perTon })]);
    const job = await hauled(books, ['10'], { order: { driver_rate_value: 100, driver_rate_type: 'RateFlatRate' } });
    await tenant.must('PUT', tenant.path(`/jobs/${job.id}/approve`), {}, admin);
    const owed = await invoiceOf(books, job.id, 'payable');
    await event(biller, owed.id, 'approve');
    Object.assign(filed, { admin, bill, small, draft, pay: await approve(await settle(books, [owed])) });
  });
  return filed;
}

/** The path of a file. @param invoices those that are in it by themselves */
export const pathOf = (
  query: Record<string, string>,
  settlements: readonly Json[],
  { path, invoices = [] }: { path: Books['tenant']['path']; invoices?: readonly Json[] },
): string =>
  path(
    `/accounting_file?${new URLSearchParams([
      ...Object.entries(query),
      ...settlements.map(({ id }): [string, string] => ['settlement_ids[]', id]),
      ...invoices.map(({ id }): [string, string] => ['invoice_ids[]', id]),
    ])}`,
  );

type Asking = Pick<Filed, 'books' | 'admin'>;

export async function fileOf(
  { books, admin }: Asking,
  format: string,
  settlements: readonly Json[],
  more: Record<string, string> = {},
  invoices: readonly Json[] = [],
): Promise<{ bytes: Buffer; headers: Headers }> {
  const path = pathOf({ format, ...more }, settlements, { path: books.tenant.path, invoices });
  const answer = await fetch(books.app.url + path, { headers: { Authorization: `Bearer ${admin}` } });
  expect([format, answer.status]).toEqual([format, 200]);
  return { bytes: Buffer.from(await answer.arrayBuffer()), headers: answer.headers };
}

/** The status of a refusal, and the fields that it names. */
export async function refusal(
  { books, admin }: Asking,
  query: Record<string, string>,
  settlements: readonly Json[],
  invoices: readonly Json[] = [],
): Promise<unknown[]> {
  const path = pathOf(query, settlements, { path: books.tenant.path, invoices });
  const { status, body } = await books.app.http('GET', path, { token: admin });
  return [status, body.error.errors?.map(({ field }: Json) => field)];
}

export const totalOf = (settlement: Json): bigint => cents(settlement.total_amount);
