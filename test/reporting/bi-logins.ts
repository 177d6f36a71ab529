import type pg from 'pg';
import type { makeBooks } from '../billing/books.ts';
import { connectedTo } from '../helpers/database.ts';
import type { StaffedTenant } from '../helpers/staffed-tenant.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

export const CHICAGO = { timeZone: 'America/Chicago', currency: 'USD' };
export const ALL = ['view_settlements', 'view_customer_rates', 'view_vendor_rates', 'view_driver_rates', 'view_imports'];

/** A login of the company, made over REST. */
export const loginOf = (at: StaffedTenant, permissions: string[] = ALL): Promise<Json> =>
  at.must('POST', at.path('/reporting_logins'), { name: 'Office dashboard', permissions });

/** Does something as a login that is signed in to the database of these books. */
export const signerIn =
  (books: ReturnType<typeof makeBooks>) =>
  async <T>({ username, password }: Json, work: (db: pg.Client) => Promise<T>): Promise<T> => {
    const url = new URL(books.app.orm.config.get('clientUrl')!);
    Object.assign(url, { username, password });
    return connectedTo(url.href, work);
  };

export const rowsOf = async (db: pg.Client, sql: string, values: unknown[] = []): Promise<Json[]> => (await db.query(sql, values)).rows;
