import { ref } from '@mikro-orm/core';
import type { MikroORM } from '@mikro-orm/postgresql';
import { serve } from '../../../src/app/serve.ts';
import { Account } from '../../../src/directory/accounts/account.entity.ts';
import { Company } from '../../../src/directory/companies/company.entity.ts';
import { Material, Service } from '../../../src/directory/master-data/named.entities.ts';
import { User } from '../../../src/directory/people/user.entity.ts';
import { Site } from '../../../src/directory/sites/site.entity.ts';
import type { Permission, RoleName } from '../../../src/identity/access/permissions.ts';
import { makeMachineClient } from '../../../src/identity/machine-clients/machine-clients.ts';
import { issueToken } from '../../../src/identity/tokens/tokens.ts';
import { Application } from '../../../src/platform/application.ts';
import { createLog } from '../../../src/platform/log.ts';
import { provideUsual } from '../../helpers/application.ts';
import { asApp, migratedDatabase } from '../../helpers/database.ts';
import { sessionToken } from '../../helpers/session.ts';
import { ownersOrm, productsOrm } from '../../jest/products-orm.ts';

/** Any JSON of an answer. */
// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
export type Answer = any;
type Web = Awaited<ReturnType<typeof serve>>;

/** The whole HTTP application on a separate database, with the calls of the tests. */
export class JobTown {
  /** The owner's connections. */
  readonly orm: MikroORM;
  readonly #own: MikroORM;
  readonly #web: Web;
  #number = 0;

  private constructor(orm: MikroORM, own: MikroORM, web: Web) {
    this.orm = orm;
    this.#own = own;
    this.#web = web;
  }

  static async open(): Promise<JobTown> {
    const database = await migratedDatabase();
    const own = await productsOrm(asApp(database), provideUsual(new Application()));
    const orm = ownersOrm(database, own);
    const log = createLog('error', { write: (line) => void console.error(line) });
    return new JobTown(
      orm,
      own,
      await serve({
        orm: own,
        log,
        port: 0,
        // Once for the whole run, in test/jest/setup.ts.
        checked: true,
        host: '127.0.0.1',
        root: process.cwd(),
        build: { version: 'test', sha: 'abc', time: new Date() },
      }),
    );
  }

  async close(): Promise<void> {
    await this.#web.close();
    await this.#own.close(true);
    await this.orm.close(true);
  }

  /** Calls a REST path below `/v1`. */
  async call(
    token: string,
    method: string,
    path: string,
    body?: unknown,
    headers: object = {},
  ): Promise<{ status: number; headers: Headers; body: Answer }> {
    const response = await fetch(`http://127.0.0.1:${this.#web.port}/v1${path}`, {
      method,
      headers: { Authorization: `Bearer ${token}`, ...(body === undefined ? {} : { 'Content-Type': 'application/json' }), ...headers },
      body: body === undefined ? undefined : JSON.stringify(body),
    });
    const text = await response.text();
    return { status: response.status, headers: response.headers, body: text === '' ? undefined : JSON.parse(text) };
  }

  async graphql(token: string, query: string, variables: object = {}): Promise<Answer> {
    const response = await fetch(`http://127.0.0.1:${this.#web.port}/graphql`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ query, variables }),
    });
    return response.json();
  }

  async company(more: object = {}): Promise<Company> {
    const number = ++this.#number;
    const platformId = number.toString(16).toUpperCase().padStart(6, '0');
    return this.#save(Company, { platformId, legalName: `Company ${number}`, ...more });
  }

  async user(company: Company, role: RoleName, more: object = {}): Promise<{ id: string; token: string }> {
    const email = `user${++this.#number}@example.com`;
    const user = await this.#save(User, { company: ref(company), firstName: 'Ada', lastName: 'Gravel', email, roles: [role], ...more });
    return { id: user.id, token: await sessionToken(this.orm, user) };
  }

  async machine(company: Company, permissions: Permission[]): Promise<string> {
    const em = this.orm.em.fork();
    const { client } = makeMachineClient(em, em.getReference(Company, company.id), { name: 'Sender', permissions });
    await em.flush();
    return (await issueToken(em, 'machine', client.id)).token;
  }

  account(company: Company, more: object = {}): Promise<Account> {
    return this.#save(Account, { company: ref(company), name: `Account ${++this.#number}`, accountTypes: ['customer'], ...more });
  }

  /** Creates a company with everything an order requires. */
  async tenant(more: object = {}): Promise<Tenant> {
    const company = await this.company(more);
    const [account, service, material, pickup, dropoff] = [
      await this.account(company),
      await this.#save(Service, { company: ref(company), name: 'Hauling' }),
      await this.#save(Material, { company: ref(company), name: 'Gravel' }),
      await this.#save(Site, { company: ref(company), name: 'Quarry', fullAddress: 'Quarry Road 1' }),
      await this.#save(Site, { company: ref(company), name: 'Bridge', fullAddress: 'Bridge Road 1' }),
    ];
    const dispatcher = await this.user(company, 'dispatcher');
    const driver = await this.user(company, 'driver', { firstName: 'Dora', lastName: 'Wheel' });
    return { company, account, service, material, pickup, dropoff, dispatcher, driver };
  }

  /** Creates an order over HTTP, accepts it, and returns it with its jobs, the lowest number first. */
  async order(tenant: Tenant, more: object = {}, accept = true): Promise<{ id: string; jobs: Answer[] }> {
    const made = await this.call(tenant.dispatcher.token, 'POST', `/companies/${tenant.company.id}/orders`, {
      load_at: '2026-11-23T12:00:00.000Z',
      truck_count: 1,
      truck_delay: 0,
      account_id: tenant.account.id,
      service_id: tenant.service.id,
      material_id: tenant.material.id,
      loads_per_truck: 1,
      waypoints: [
        { type: 'pickup', site_id: tenant.pickup.id, ordinality: 0 },
        { type: 'drop_off', site_id: tenant.dropoff.id, ordinality: 1 },
      ],
      ...more,
    });
    if (made.status !== 201) throw new Error(JSON.stringify(made.body));
    const id = made.body.data.id as string;
    if (accept) await this.must(tenant.dispatcher.token, 'PUT', `/companies/${tenant.company.id}/orders/${id}/accept`, {});
    const jobs = (await this.must(tenant.dispatcher.token, 'GET', `/companies/${tenant.company.id}/orders/${id}/jobs`)) as Answer[];
    return { id, jobs: jobs.sort((a, b) => a.job_id.localeCompare(b.job_id)) };
  }

  /** Returns a job of an accepted order, assigned to the tenant's driver and accepted by them. */
  async readyJob(tenant: Tenant, more: object = {}): Promise<Answer> {
    const { jobs } = await this.order(tenant, more);
    const [job] = jobs;
    await this.must(tenant.dispatcher.token, 'PATCH', `/jobs/${job.id}`, { driver_id: tenant.driver.id });
    await this.must(tenant.dispatcher.token, 'PUT', `/jobs/${job.id}/request`, {});
    return this.must(tenant.driver.token, 'PUT', `/jobs/${job.id}/accept`, {});
  }

  /** Returns the `data` of a call that must succeed. */
  async must(token: string, method: string, path: string, body?: unknown): Promise<Answer> {
    const { status, body: answer } = await this.call(token, method, path, body);
    if (status >= 300) throw new Error(`${method} ${path} -> ${status} ${JSON.stringify(answer)}`);
    return answer?.data;
  }

  /** Drives a job through events as the person with the token; returns the last answer. */
  async drive(token: string, jobId: string, ...events: string[]): Promise<Answer> {
    let job: Answer;
    for (const event of events) job = await this.must(token, 'PUT', `/jobs/${jobId}/${event}`, {});
    return job;
  }

  async #save<T extends object>(type: new () => T, fields: object): Promise<T> {
    const em = this.orm.em.fork();
    const made = Object.assign(new type(), fields);
    await em.persist(made).flush();
    return made;
  }
}

export interface Tenant {
  company: Company;
  account: Account;
  service: Service;
  material: Material;
  pickup: Site;
  dropoff: Site;
  dispatcher: { id: string; token: string };
  driver: { id: string; token: string };
}

export const ONE_LOAD = ['enroute', 'arrive', 'load_material', 'enroute', 'arrive', 'unload_material', 'complete_load'];
