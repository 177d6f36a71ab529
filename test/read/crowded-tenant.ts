import { ref } from '@mikro-orm/core';
import fc from 'fast-check';
import { Account } from '../../src/directory/accounts/account.entity.ts';
import { DispatchNumber } from '../../src/dispatch/model/dispatch-number.entity.ts';
import { Project } from '../../src/dispatch/model/project.entity.ts';
import type { TestApp } from '../helpers/app.ts';
import { makeOrder, makeTenant, type Tenant } from '../helpers/tenant.ts';

// biome-ignore lint/suspicious/noExplicitAny: rows are asserted, not typed
export type Json = any;

export const sqlOf =
  (app: TestApp) =>
  (text: string, params: unknown[] = []): Promise<Json[]> =>
    app.orm.em.getConnection().execute<Json[]>(text, params);

/** A company whose orders have many equal and many missing sort keys, and jobs and loads below them. */
export async function crowdedTenant(app: TestApp, orders = 34): Promise<Tenant> {
  const tenant = await makeTenant(app);
  const own = { company: ref(tenant.company) };
  const numbers = [];
  for (const name of ['', 'A 1', 'a 1', 'ä', 'Zug']) numbers.push(await tenant.save(DispatchNumber, { ...own, name }));
  const accounts = [tenant.account, await tenant.save(Account, { ...own, name: 'customer', accountTypes: ['customer'] })];
  const project = await tenant.save(Project, { ...own, number: 1, projectId: 'P-1', name: 'Bridge', account: ref(tenant.account) });
  for (let i = 0; i < orders; i++) {
    const account = accounts[i % 2]!;
    await makeOrder(tenant, {
      account_id: account.id,
      ...(i % 4 === 0 ? { project_id: project.id } : {}),
      truck_count: 1 + (i % 3),
      loads_per_truck: 1 + (i % 4),
      load_at: `2026-11-${20 + (i % 3)}T0${i % 5}:00:00.000Z`,
    });
  }
  const sql = sqlOf(app);
  const mine = 'company_id = ?';
  const states = ['created', 'accepted', 'in_progress', 'hold'];
  await sql(
    `update orders set created_at = date_trunc('hour', created_at) + (number % 3) * interval '1 microsecond',
       state = (array[${states.map((state) => `'${state}'`).join()}])[1 + number % 4],
       dispatch_number_id = (array[null, ${numbers.map(({ id }) => `'${id}'::uuid`).join()}])[1 + number % 6]
     where ${mine}`,
    [tenant.company.id],
  );
  await sql(
    `update job set priority = number % 2, job_start_at = date_trunc('day', job_start_at), created_at = date_trunc('hour', created_at) where ${mine}`,
    [tenant.company.id],
  );
  await sql(`update load set created_at = date_trunc('hour', created_at) where ${mine}`, [tenant.company.id]);
  return tenant;
}

/** The sort keys of orders in plain SQL. */
export const ORDER_KEYS: Record<string, string> = {
  created_at: 'o.created_at',
  load_at: 'o.load_at',
  friendly_order_id: 'o.number',
  'dispatch_number][name': `lower(coalesce(d.name, ''))`,
  'account][name': 'lower(a.name)',
  'company][legal_name': 'lower(c.legal_name)',
};
export const JOB_KEYS: Record<string, string> = { created_at: 'j.created_at', job_start_at: 'j.job_start_at', priority: 'j.priority' };

export type Sort = [key: string, direction: 'asc' | 'desc'][];

export const sorts = (keys: Record<string, string>): fc.Arbitrary<Sort> =>
  fc
    .uniqueArray(fc.constantFrom(...Object.keys(keys)), { maxLength: 3 })
    .chain((names) => fc.tuple(...names.map((name) => fc.tuple(fc.constant(name), fc.constantFrom('asc' as const, 'desc' as const)))));

/** The order of a list in plain SQL: the keys, then the id in the direction of the first. */
export function orderBy(sort: Sort, keys: Record<string, string>, id: string): string {
  const all: Sort = sort.length > 0 ? sort : [['created_at', 'desc']];
  return [...all.map(([name, direction]) => `${keys[name]} ${direction}`), `${id} ${all[0]![1]}`].join(', ');
}

export const query = (pairs: [string, string | number][]) => pairs.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join('&');

/** Ids of the pages from `path` on, following one relation of the Link header. */
export async function walk(
  tenant: Tenant,
  path: string,
  rel: 'next' | 'prev',
  token?: string,
): Promise<{ pages: string[][]; last: string }> {
  const pages: string[][] = [];
  let last = path;
  for (let at: string | undefined = path; at; ) {
    const answer = await tenant.http('GET', at, undefined, token);
    if (answer.status !== 200) throw new Error(`${at} -> ${answer.status} ${JSON.stringify(answer.body)}`);
    pages.push(answer.body.data.map((row: Json) => row.id));
    last = at;
    if (pages.length > 200) throw new Error('pages without end');
    at = new RegExp(`<([^>]+)>; rel="${rel}"`).exec(answer.headers.get('link') ?? '')?.[1]?.replace(/^https?:\/\/[^/]+/, '');
  }
  return { pages, last };
}
