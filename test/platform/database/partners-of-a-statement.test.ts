import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { QueryConfig } from 'pg';
import { sendBehind } from '../../../src/platform/database/connection/together.ts';
import { sharedOut } from '../../../src/platform/database/planned-once.ts';
import { APP_ROLE } from '../../../src/platform/database/roles.ts';
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

/** Has PostgreSQL share out whatever it may; version 15 has the setting under its former name. */
const SHARE_OUT = `select set_config(name, 'on', true) from pg_settings where name in ('debug_parallel_query', 'force_parallel_mode')`;
const OWNERS = 'select distinct company_id from material order by company_id';

test('what is found ahead of a statement that several processes run is for this statement, and for its companies alone', async () => {
  const [giver, taker] = [await makeStaffedTenant(app), await makeStaffedTenant(app)];
  const [first, second] = [giver.company.id, taker.company.id];
  const client = await (await poolOf(app.productOrm.em)).connect();
  const owners = async (config: QueryConfig = sharedOut({ text: OWNERS })) =>
    (await client.query<{ company_id: string }>(config)).rows.map(({ company_id }) => company_id);
  const plan = async (text: string) => {
    const { rows } = await client.query<{ 'QUERY PLAN': string }>(sharedOut({ text: `explain (costs off) ${text}` }));
    return rows.map((row) => row['QUERY PLAN']).join('\n');
  };
  try {
    await asCompanies([first], async () => {
      await client.query('begin');
      await client.query(SHARE_OUT);
      expect(await plan(OWNERS)).toMatch(/^Gather/);
      expect(await owners()).toEqual([first]);
      expect(await owners({ text: OWNERS })).toEqual([first]);
      const account = await connect(giver, taker);
      await act(giver, (await jobOf(giver)).id, 'assign_vendor', { vendor_id: account.id });
      // Nothing has changed but what others committed.
      expect(await owners()).toEqual([first, second].sort());
      expect(await owners()).toEqual([first, second].sort());
      expect(await withPartnerVisibility(owners, 'off')).toEqual([first]);
      expect(await asCompanies([randomUUID()], owners)).toEqual([]);
      expect(await asCompanies([randomUUID()], () => owners({ text: OWNERS }))).toEqual([]);
      expect(await asCompanies([second], owners)).toEqual([first, second].sort());
      expect(await owners({ text: OWNERS })).toEqual([first, second].sort());
      await client.query('rollback');
      expect(await owners()).toEqual([first, second].sort());
      expect(await withPartnerVisibility(owners, 'off')).toEqual([first]);
      // Behind one that is shared out, in its message.
      const stranger = randomUUID();
      const behind: unknown[] = [];
      const values: unknown[] = [];
      sendBehind(
        values,
        [[stranger], [first]].map((companyIds) => ({
          config: { text: OWNERS, values: [] },
          scope: { companyIds, work: 'on' },
          done: (error, result) => void behind.push(error?.message ?? result!.rows.map(({ company_id }) => company_id)),
        })),
      );
      expect(await owners(sharedOut({ text: OWNERS, values }))).toEqual([first, second].sort());
      expect(behind).toEqual([[], [first, second].sort()]);
    });
  } finally {
    client.release();
  }
});

test('a connection that lets PostgreSQL share out everything finds the same partners, although it remembers none', async () => {
  const [giver, taker] = [await makeStaffedTenant(app), await makeStaffedTenant(app)];
  const [first, second] = [giver.company.id, taker.company.id];
  const account = await connect(giver, taker);
  await act(giver, (await jobOf(giver)).id, 'assign_vendor', { vendor_id: account.id });
  // Such as those of the version before: a connection of the owner, whose statements get no scope, in the application's role.
  const client = await (await poolOf(app.orm.em)).connect();
  const ask = (sql: string, values?: unknown[]) => client.query(sql, values);
  try {
    await ask('begin');
    await ask(`set local role ${APP_ROLE}`);
    await ask('set local max_parallel_workers_per_gather = 2');
    await ask(SHARE_OUT);
    const owners = async (company: string, ahead: string) => {
      await ask(
        `select set_config('app.company_ids', $1, true), set_config('app.work', 'on', true), set_config('app.partners_of', $2, true),
        set_config('app.partners', $3, true)`,
        [`{${company}}`, ahead, `{${first},${second}}`],
      );
      return (await ask(OWNERS)).rows.map(({ company_id }) => company_id);
    };
    expect((await ask(`explain (costs off) ${OWNERS}`)).rows[0]['QUERY PLAN']).toBe('Gather');
    const stranger = randomUUID();
    expect(await owners(first, '')).toEqual([first, second].sort());
    // Found ahead for others.
    expect(await owners(stranger, `ahead on {${first}}`)).toEqual([]);
    expect(await owners(stranger, `ahead shares {${stranger}}`)).toEqual([]);
    expect(await owners(first, `ahead on {${first}}`)).toEqual([first, second].sort());
    await ask('rollback');
  } finally {
    client.release(true);
  }
});
