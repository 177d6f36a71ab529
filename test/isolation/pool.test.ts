import { Agent, request } from 'node:http';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { ref } from '@mikro-orm/core';
import pg, { type Pool, type PoolClient, type QueryResult } from 'pg';
import { forgetViewers } from '../../src/identity/access/viewer.ts';
import { APP_ROLE } from '../../src/platform/database/roles.ts';
import { poolOf } from '../../src/platform/database/sql.ts';
import { startTestApp, type TestApp } from '../helpers/app.ts';
import { poolerOfRun } from '../helpers/database.ts';
import { eachOf } from '../helpers/isolation/matrix-world.ts';
import { makeOrder, makeTenant, orderInput, type Tenant } from '../helpers/tenant.ts';

const REQUESTS = 10_000;
const CONNECTIONS = 5;
const AT_ONCE = 24;
const KINDS = 20;

/** A company whose every name begins with its mark, and its people. */
interface House {
  mark: string;
  tenant: Tenant;
  /** Of the machine client, an admin, a dispatcher and a driver. */
  tokens: string[];
  label: string;
  order: string;
}

interface Answer {
  status: number;
  text: string;
}

let app: TestApp;
let pool: Pool;
const houses: House[] = [];
const agent = new Agent({ keepAlive: true, maxSockets: AT_ONCE });
beforeAll(async () => {
  app = await startTestApp({ poolSize: CONNECTIONS });
  pool = await poolOf(app.productOrm.em);
  for (const mark of ['Alpha', 'Bravo', 'Candor', 'Delta']) {
    // The last one is a child of the first: who is of Alpha sees both.
    const parentCompany = mark === 'Delta' ? ref(houses[0]!.tenant.company) : null;
    const tenant = await makeTenant(app, { company: { legalName: `${mark} Hauling`, parentCompany } });
    const tokens = [tenant.token];
    for (const role of ['company_admin', 'dispatcher', 'driver'])
      tokens.push((await tenant.person({ roles: [role], lastName: mark })).token);
    const label = await tenant.must('POST', tenant.path('/labels'), { name: `${mark} first` });
    const order = await makeOrder(tenant, { name: mark });
    houses.push({ mark, tenant, tokens, label: label.id, order: order.id });
  }
});
afterAll(async () => {
  agent.destroy();
  await app.close();
});

/** Which houses' marks an answer to somebody of this house may bear. */
const mayReport = ({ mark }: House) => (mark === 'Alpha' ? ['Alpha', 'Delta'] : [mark]);

/** One request; with `leaveAfter` milliseconds the client does not wait for the answer. */
function send(method: string, path: string, token: string, body?: object, leaveAfter?: number): Promise<Answer | undefined> {
  const text = body && JSON.stringify(body);
  const headers = {
    ...(token ? { Authorization: `Bearer ${token}` } : {}),
    ...(text ? { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(text) } : {}),
  };
  return new Promise((resolve, reject) => {
    const sent = request(app.url + path, { method, headers, agent }, (response) => {
      const parts: Buffer[] = [];
      response.on('data', (part: Buffer) => parts.push(part));
      response.on('error', (error) => (leaveAfter === undefined ? reject(error) : resolve(undefined)));
      response.on('end', () => resolve({ status: response.statusCode!, text: Buffer.concat(parts).toString() }));
    });
    sent.on('error', (error) => (leaveAfter === undefined ? reject(error) : resolve(undefined)));
    if (leaveAfter !== undefined) setTimeout(() => sent.destroy(), leaveAfter);
    sent.end(text);
  });
}

const LISTS = [
  'labels { nodes { id name } }',
  'orders { nodes { id name company { id legalName } jobs { nodes { id } } } }',
  'sites { nodes { id name } }',
];
const made = new Set<string>();

/** Sends the n-th request, of one of the companies and people; @returns the error in its answer */
async function ask(n: number): Promise<string | undefined> {
  // Neighbours in time are of different houses, and every house asks everything.
  const turn = Math.floor(n / KINDS);
  const house = houses[(n + turn) % houses.length]!;
  const other = houses[(n + turn + 1 + (turn % 3)) % houses.length]!;
  const { tenant, mark } = house;
  const person = house.tokens[turn % house.tokens.length]!;
  // A caller who manages labels.
  const office = house.tokens[turn % 2]!;
  if (n % 250 === 0) forgetViewers(app.application);
  const get = (path: string, token = person) => send('GET', path, token);
  const gql = (query: string, token = person) => send('POST', '/graphql', token, { query });
  const kind = (n * 7) % KINDS;
  const foreign = mayReport(house).includes(other.mark) ? houses[1]! : other;
  const [answer, expected] = await (async (): Promise<[Answer | undefined, number[]]> => {
    if (kind < 5) return [await gql(`{ ${LISTS[turn % LISTS.length]} }`, office), [200]];
    if (kind < 8) return [await get(tenant.path(`/orders?page[limit]=5`)), [200]];
    if (kind < 10) return [await get(tenant.path('/labels'), office), [200]];
    if (kind < 12) return [await get(`/v1/orders/${foreign.order}`), [404]];
    if (kind === 12) return [await send('PATCH', foreign.tenant.path(`/labels/${foreign.label}`), office, { name: `${mark} mine` }), [404]];
    if (kind === 13) return [await get(tenant.path(`/labels/${house.label}`), office), [200]];
    if (kind === 14) {
      made.add(`${mark} ${n}`);
      return [await send('POST', tenant.path('/labels'), office, { name: `${mark} ${n}` }), [201]];
    }
    // Taken: the transaction is rolled back at its last statement.
    if (kind === 15) return [await send('POST', tenant.path('/labels'), office, { name: `${mark} first` }), [422]];
    if (kind === 16) {
      // Refused halfway: one place is another company's.
      const waypoints = [{ type: 'pickup', site_id: foreign.tenant.pickup.id, ordinality: 0 }];
      return [await send('POST', tenant.path('/orders'), tenant.token, orderInput(tenant, { name: `${mark} lost`, waypoints })), [422]];
    }
    // The client leaves: before it is answered, or in the middle of a transaction.
    if (kind === 17) return [await send('POST', tenant.path('/labels'), office, { name: `${mark} left ${n}` }, n % 9), [201]];
    if (kind === 18) return [await send('GET', tenant.path('/orders'), person, undefined, n % 7), [200]];
    // Nobody: asked as the purpose of signing in, in a role of its own.
    return [await send('POST', '/v1/sso_connections', '', { email: `somebody@${mark.toLowerCase()}.example` }), [200]];
  })();
  if (!answer) return undefined;
  if (!expected.includes(answer.status)) return `${n} ${kind} ${mark}: ${answer.status} ${answer.text.slice(0, 200)}`;
  const reported = houses.filter(
    (one) => !mayReport(house).includes(one.mark) && (answer.text.includes(one.mark) || answer.text.includes(one.tenant.company.id)),
  );
  return reported.length > 0
    ? `${n} ${kind} ${mark} received data of ${reported.map((one) => one.mark)}: ${answer.text.slice(0, 200)}`
    : undefined;
}

/** Returns what is left on an idle connection, without the product, which sets a scope before every statement. */
async function leftOn(client: PoolClient): Promise<string> {
  const ask = pg.Client.prototype.query.bind(client) as (sql: string) => Promise<QueryResult<{ left: string }>>;
  const { rows } = await ask(
    `select concat_ws(' ', current_setting('app.company_ids', true), current_setting('app.work', true), current_setting('role'),
       (select count(*) from pg_locks where pid = pg_backend_pid() and locktype = 'advisory'),
       now() = statement_timestamp()) as left`,
  );
  return rows[0]!.left.trim();
}
/**
 * No companies, nothing about work, the application's own role (behind a pooler the login's: each transaction takes the application's), no lock, and
 * a transaction that began with this statement.
 */
const CLEAN = `${poolerOfRun() ? 'none' : APP_ROLE} 0 t`;

test('10,000 interleaved requests of many people on five connections show nobody another company, and leave nothing behind', async () => {
  const wrong: string[] = [];
  const dirty: string[] = [];
  let looked = 0;
  let waited = 0;
  let working = true;
  const watch = (async () => {
    while (working) {
      waited = Math.max(waited, pool.waitingCount);
      const client = await pool.connect();
      const left = await leftOn(client).finally(() => client.release());
      looked++;
      if (left !== CLEAN) dirty.push(left);
      await new Promise((wake) => setTimeout(wake, 5));
    }
  })();
  await eachOf(
    Array.from({ length: REQUESTS }, (_, n) => n),
    async (n) => {
      const problem = await ask(n);
      if (problem) wrong.push(problem);
    },
    AT_ONCE,
  );
  working = false;
  await watch;
  expect(wrong.slice(0, 5)).toEqual([]);
  expect(dirty.slice(0, 5)).toEqual([]);
  expect(pool.totalCount).toBeLessThanOrEqual(CONNECTIONS);
  // It was crowded, and looked at while it was.
  expect(waited).toBeGreaterThan(CONNECTIONS);
  expect(looked).toBeGreaterThan(100);
}, 300_000);

test('every connection is as it was opened, and every row belongs to the company it names', async () => {
  const clients = await Promise.all(Array.from({ length: CONNECTIONS }, () => pool.connect()));
  const left = await Promise.all(clients.map((client) => leftOn(client).finally(() => client.release())));
  expect(left).toEqual(clients.map(() => CLEAN));
  const labels = await app.orm.em.execute<{ name: string; company: string }[]>(
    "select l.name, split_part(c.legal_name, ' ', 1) as company from label l join company c on c.id = l.company_id",
  );
  expect(labels.filter(({ name, company }) => !name.startsWith(`${company} `))).toEqual([]);
  const kept = new Set(labels.map(({ name }) => name));
  expect([...made].filter((name) => !kept.has(name))).toEqual([]);
  expect([...kept].filter((name) => / mine$/.test(name))).toEqual([]);
  expect(await app.orm.em.execute("select name from orders where name like '% lost'")).toEqual([]);
  // The audit log has one row for each, of the same company.
  const audited = await app.orm.em.execute<{ n: number }[]>(
    "select count(*)::int as n from audit_entry a join label l on l.id = a.subject_id where a.event = 'create' and a.company_id = l.company_id",
  );
  expect(audited[0]!.n).toBe(kept.size);
});
