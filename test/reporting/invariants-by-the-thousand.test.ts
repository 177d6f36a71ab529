import { expect, test } from '@jest/globals';
import { INVARIANTS } from '../../src/reporting/invariants/invariants.ts';
import { startTestApp, type TestApp } from '../helpers/app.ts';
import { makeTenant } from '../helpers/tenant.ts';

/** Orders that were made, each of which was sent to the only subscription. */
const MANY = 3_000;

interface Node {
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Join Filter'?: number;
  'Rows Removed by Filter'?: number;
  Plans?: Node[];
}

/** Counts rows that a plan made, or looked at and left. */
const work = (node: Node): number =>
  node['Actual Loops'] * (node['Actual Rows'] + (node['Rows Removed by Join Filter'] ?? 0) + (node['Rows Removed by Filter'] ?? 0)) +
  (node.Plans ?? []).reduce((sum, plan) => sum + work(plan), 0);

let app: TestApp;
const sql = <R = object>(text: string, values: unknown[] = []): Promise<R[]> => app.orm.em.getConnection().execute<R[]>(text, values);

test.each(['changes_of_state_are_sent', 'changes_are_sent'])(
  '%s: what was sent is not compared with each change, and what was not is found',
  async (name) => {
    app = await startTestApp({ newDatabase: true });
    try {
      const tenant = await makeTenant(app);
      const { id: companyId } = tenant.company;
      const { id } = await tenant.must('POST', '/v1/webhook_subscriptions', {
        url: 'https://93.184.216.34/all',
        triggers: ['Order::create', 'Order::state_change'],
      });
      // Its feed begins with its first reader.
      await tenant.must('GET', tenant.path('/changes?after=0'));
      await sql(`update webhook_subscription set created_at = now() - interval '1 hour'`);
      await sql(`create table happened as select gen_random_uuid() as id, date_trunc('milliseconds', now() - n * interval '1 second') as at
        from generate_series(1, ${MANY}) n`);
      await sql(
        `insert into change_entry (company_id, position, owner_company_id, subject_type, subject_id, kind, changed_at)
        select ?, 1000000 + row_number() over (), ?, 'Order', id, 'create', at from happened`,
        [companyId, companyId],
      );
      await sql(
        `insert into transition (id, company_id, created_at, subject_type, subject_id, event, from_state, to_state, created_by_type, created_by_name, request_id)
        select gen_random_uuid(), ?, at, 'Order', id, 'accept', 'created', 'accepted', 'User', 'Dispatcher', 'r' from happened`,
        [companyId],
      );
      for (const [trigger, change] of [
        ['Order::create', null],
        ['Order::state_change', '{"state": "accepted"}'],
      ])
        await sql(
          `insert into webhook_delivery (id, company_id, subscription_id, event_id, event_time, trigger, source_company_id, subject_id, sequence, change, state, due_at, delivered_at)
          select gen_random_uuid(), ?, ?, gen_random_uuid(), at, ?, ?, id, 1, ?::json, 'delivered', null, now() from happened`,
          [companyId, id, trigger, companyId, change],
        );
      const invariant = INVARIANTS.find((one) => one.name === name)!.sql;
      const [row] = await sql<{ 'QUERY PLAN': [{ Plan: Node }] }>(`explain (analyze, format json) ${invariant}`);
      expect(work(row!['QUERY PLAN'][0].Plan)).toBeLessThan(MANY * 100);
      expect(await sql(invariant)).toEqual([]);
      const [lost] = await sql<{ subject_id: string }>(
        `delete from webhook_delivery where id = (select id from webhook_delivery where trigger = ? order by event_time limit 1) returning subject_id`,
        [name === 'changes_are_sent' ? 'Order::create' : 'Order::state_change'],
      );
      const found = await sql<{ what: string }>(invariant);
      expect(found).toEqual([expect.objectContaining({ company_id: companyId })]);
      expect(JSON.stringify(found)).toContain(lost!.subject_id);
    } finally {
      await app.close();
    }
  },
);
