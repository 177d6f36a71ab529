import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { asCompanies, withPartnerVisibility } from '../../../src/platform/database/scope.ts';
import { poolOf } from '../../../src/platform/database/sql.ts';
import { startTestApp, type TestApp } from '../../helpers/app.ts';
import { act, connect, jobOf, makeStaffedTenant, type StaffedTenant } from '../../helpers/staffed-tenant.ts';

let app: TestApp;
let customer: StaffedTenant;
let hauler: StaffedTenant;
beforeAll(async () => {
  app = await startTestApp({ shared: true });
  [customer, hauler] = [await makeStaffedTenant(app), await makeStaffedTenant(app)];
});
afterAll(() => app.close());

test('each statement finds the partners that there are when it begins, and only for the companies that it is for', async () => {
  const pool = await poolOf(app.productOrm.em);
  const client = await pool.connect();
  const owners = async () => {
    const { rows } = await client.query<{ company_id: string }>('select distinct company_id from material order by company_id');
    return rows.map(({ company_id }) => company_id);
  };
  const [first, second] = [customer.company.id, hauler.company.id];
  try {
    await asCompanies([first], async () => {
      await client.query('begin');
      expect(await owners()).toEqual([first]);
      const account = await connect(customer, hauler);
      await act(customer, (await jobOf(customer)).id, 'assign_vendor', { vendor_id: account.id });
      // Still in the same transaction, which sees what others commit.
      expect(await owners()).toEqual([first, second].sort());
      expect(await owners()).toEqual([first, second].sort());
      expect(await withPartnerVisibility(owners, 'off')).toEqual([first]);
      expect(await asCompanies([second], owners)).toEqual([first, second].sort());
      expect(await asCompanies([randomUUID()], owners)).toEqual([]);
      expect(await owners()).toEqual([first, second].sort());
      await client.query('rollback');
      expect(await withPartnerVisibility(owners, 'off')).toEqual([first]);
    });
  } finally {
    client.release();
  }
});
