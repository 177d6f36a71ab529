import { afterEach, beforeEach } from '@jest/globals';
import { makeStaffedTenant } from '../../helpers/staffed-tenant.ts';
import { until } from '../../helpers/until.ts';
import { type Books, billerOf } from '../books.ts';
import { LinkedSystem } from './linked-system.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

/** The company of a test, and its accounting system, which knows none of its customers yet. */
export class Exporting {
  books!: Books;
  system!: LinkedSystem;

  /** Makes a company of its own for each test of the file. */
  constructor(shared: Books) {
    beforeEach(async () => {
      const tenant = await makeStaffedTenant(shared.app);
      this.books = { app: shared.app, tenant, biller: await billerOf(tenant) };
      this.system = await new LinkedSystem(this.books).start();
    });
    afterEach(() => this.system.stop());
  }

  /** An invoice as its biller reads it. */
  read = ({ id }: Json): Promise<Json> => this.books.biller.must('GET', this.books.biller.path(`/invoices/${id}`));

  /** Waits until an export of an invoice is in a state. @returns the invoice */
  reaches = async (invoice: Json, state: string, which = 'accounting_export'): Promise<Json> => {
    let found: Json;
    await until(async () => {
      found = await this.read(invoice);
      return found[which]?.state === state;
    });
    return found;
  };
}
