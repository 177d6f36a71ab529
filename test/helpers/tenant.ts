import { ref, UniqueConstraintViolationException } from '@mikro-orm/core';
import { Account } from '../../src/directory/accounts/account.entity.ts';
import { Company } from '../../src/directory/companies/company.entity.ts';
import { Material, Service } from '../../src/directory/master-data/named.entities.ts';
import { User } from '../../src/directory/people/user.entity.ts';
import { Site } from '../../src/directory/sites/site.entity.ts';
import { PERMISSIONS, type Permission } from '../../src/identity/access/permissions.ts';
import { makeMachineClient } from '../../src/identity/machine-clients/machine-clients.ts';
import { issueToken } from '../../src/identity/tokens/tokens.ts';
import { nextNumber } from '../jest/numbers.ts';
import type { Answer, TestApp } from './app.ts';
import { sessionTokens } from './session.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

/** A person who is signed in, and their calls. */
export interface Person {
  id: string;
  user: User;
  token: string;
  http(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>;
  /** Returns the `data` of a call that must succeed. */
  must(method: string, path: string, body?: unknown): Promise<Json>;
  gql(query: string, variables?: Record<string, unknown>): Promise<Json>;
}

/** A separate company with everything that an order requires, and the calls of its machine client. */
export interface Tenant {
  app: TestApp;
  company: Company;
  /** Of the machine client; calls use it by default. */
  token: string;
  account: Account;
  vendor: Account;
  service: Service;
  material: Material;
  pickup: Site;
  dropoff: Site;
  driver: Person;
  /** A text is sent as CSV, any other body as JSON. */
  http(method: string, path: string, body?: unknown, token?: string): Promise<Answer>;
  /** Returns the `data` of a call that must succeed. */
  must(method: string, path: string, body?: unknown, token?: string): Promise<Json>;
  gql(query: string, variables?: Record<string, unknown>, token?: string): Promise<Json>;
  /** Returns a path below the company. */
  path(rest: string): string;
  save<T extends object>(type: new () => T, fields: object): Promise<T>;
  person(fields: object): Promise<Person>;
  /** Returns the token of a company administrator, who is created on demand: for what no machine client may do. */
  administrator(): Promise<string>;
}

interface TenantOptions {
  /** Of its machine client; all by default. */
  permissions?: readonly Permission[];
  /** Columns of the company. */
  company?: object;
}

export const makeTenant = async (app: TestApp, more: TenantOptions = {}): Promise<Tenant> => (await makeTenantWith(app, [], more)).tenant;

/** Creates a tenant, and people in addition to its driver, who are signed in: they are written together. @param others columns of each */
export async function makeTenantWith(
  app: TestApp,
  others: readonly object[],
  more: TenantOptions = {},
): Promise<{ tenant: Tenant; people: Person[] }> {
  const number = nextNumber();
  const save: Tenant['save'] = async (type, fields) => {
    const em = app.orm.em.fork();
    const record = Object.assign(new type(), fields);
    await em.persist(record).flush();
    return record;
  };
  // All records of a tenant are written at once, because hundreds of tests make one.
  const em = app.orm.em.fork();
  const add = <T extends object>(type: new () => T, fields: object): T => {
    const record = Object.assign(new type(), fields);
    em.persist(record);
    return record;
  };
  const company = add(Company, {
    platformId: (0xa00000 + number).toString(16).toUpperCase(),
    legalName: `Yard ${number}`,
    timeZone: 'America/Chicago',
    ...more.company,
  });
  const own = { company: ref(company) };
  const somebody = (fields: object) => ({
    ...own,
    firstName: 'Ada',
    lastName: 'Gravel',
    email: `yard${nextNumber()}@example.com`,
    ...fields,
  });
  const { client } = makeMachineClient(em, company, { name: 'Office system', permissions: more.permissions ?? PERMISSIONS });
  const users = [{ firstName: 'Dora', lastName: 'Wheel', roles: ['driver'] }, ...others].map((fields) => add(User, somebody(fields)));
  const account = add(Account, { ...own, name: 'Customer', accountTypes: ['customer'] });
  const vendor = add(Account, { ...own, name: 'Vendor', accountTypes: ['vendor'] });
  const service = add(Service, { ...own, name: 'Haulage' });
  const material = add(Material, { ...own, name: 'Gravel' });
  const pickup = add(Site, { ...own, name: 'Quarry' });
  const dropoff = add(Site, { ...own, name: 'Bridge' });
  try {
    await em.flush();
  } catch (error) {
    // The product gives companies random ids, and may have given this one away.
    if (!(error instanceof UniqueConstraintViolationException && error.message.includes('company_platform_id_key'))) throw error;
    return makeTenantWith(app, others, more);
  }
  const { token } = await issueToken(em, 'machine', client.id);
  const person: Tenant['person'] = async (fields) => (await signIn(app, [await save(User, somebody(fields))]))[0]!;
  const [driver, ...people] = (await signIn(app, users)) as [Person, ...Person[]];
  let administrator: Promise<string> | undefined;
  const http: Tenant['http'] = (method, path, body, as = token) =>
    app.http(method, path, { body, token: as || undefined, headers: typeof body === 'string' ? { 'Content-Type': 'text/csv' } : {} });
  const tenant: Tenant = {
    app,
    company,
    token,
    account,
    vendor,
    service,
    material,
    pickup,
    dropoff,
    driver,
    http,
    must: async (method, path, body, as) => dataOf(method, path, await http(method, path, body, as)),
    gql: async (query, variables, as = token) => (await app.graphql(query, variables, { token: as || undefined })).body,
    path: (rest) => `/v1/companies/${company.id}${rest}`,
    save,
    person,
    administrator: () => (administrator ??= person({ firstName: 'Alma', roles: ['company_admin'] }).then((one) => one.token)),
  };
  return { tenant, people };
}

/** Opens a session of each of several people. */
async function signIn(app: TestApp, users: readonly User[]): Promise<Person[]> {
  const tokens = await sessionTokens(app.orm, users);
  return users.map((user, at) => personOf(app, user, tokens[at]!));
}

function personOf(app: TestApp, user: User, token: string): Person {
  const http: Person['http'] = (method, path, body, headers) => app.http(method, path, { body, token, headers });
  return {
    id: user.id,
    user,
    token,
    http,
    must: async (method, path, body) => dataOf(method, path, await http(method, path, body)),
    gql: async (query, variables) => (await app.graphql(query, variables, { token })).body,
  };
}

function dataOf(method: string, path: string, { status, body }: Answer): Json {
  if (status >= 300) throw new Error(`${method} ${path} -> ${status} ${JSON.stringify(body)}`);
  return body?.data;
}

/** Returns a body that creates an order in this tenant. */
export const orderInput = (tenant: Tenant, more: object = {}) => ({
  load_at: '2026-11-23T12:00:00.000Z',
  truck_count: 1,
  truck_delay: 0,
  account_id: tenant.account.id,
  service_id: tenant.service.id,
  waypoints: [
    { type: 'pickup', site_id: tenant.pickup.id, ordinality: 0 },
    { type: 'drop_off', site_id: tenant.dropoff.id, ordinality: 1 },
  ],
  ...more,
});

/** Returns a body that creates a company. */
export const companyInput = (more: object = {}) => ({
  legal_name: `Company ${nextNumber()}`,
  address: { thoroughfare: '1 Pit Rd', locality: 'Austin', administrative_area: 'TX', postal_code: '78701', country: 'US' },
  language: 'en',
  date_format: 'MM/DD/YYYY',
  time_format: '12-hour',
  system_of_measure: 'imperial',
  unit_of_distance: 'mile',
  currency: 'USD',
  time_zone: 'America/Chicago',
  primary_contact: { name: 'Front office', phone: '(512) 555-0199' },
  billing_contact: { name: 'Books', email: 'books@example.com' },
  usage_status: 'active',
  saas_billing_plan: 'standard',
  billing_status: 'free_trial',
  company_type: 'hauler',
  ...more,
});

/** Returns a body that invites an unknown business. */
export const inviteInput = (more: object = {}) => {
  const number = nextNumber();
  return {
    name: `Invited ${number} of ${process.pid}`,
    contact: { name: 'Ina Vited', email: `invited${number}.${process.pid}@example.com` },
    address: { thoroughfare: '2 Pit Rd', locality: 'Austin', administrative_area: 'TX', postal_code: '78701', country: 'US' },
    account_types: ['vendor'],
    auto_accept_orders: false,
    ...more,
  };
};

/** Creates an order over REST. */
export const makeOrder = (tenant: Tenant, more: object = {}): Promise<Json> =>
  tenant.must('POST', tenant.path('/orders'), orderInput(tenant, more));

/** Returns the columns of an attachment of an order, without the order; it has no bytes. */
export const attachmentFields = (tenant: Tenant) => ({
  companyId: tenant.company.id,
  category: 'Other' as const,
  fileAttachableType: 'Order' as const,
  fileName: 'map.pdf',
  mimeType: 'application/pdf',
  byteSize: 1,
  sha256: '00',
  uploadedByType: 'User',
  uploadedById: tenant.driver.id,
  uploadedByName: 'Dora Wheel',
  uploadedByCompanyId: tenant.company.id,
});

/** Returns the items of an error answer as `field key-ish message` pairs, sorted. */
export const fieldsOf = (answer: Answer): string[] =>
  (answer.body?.error?.errors ?? []).map((item: { field: string }) => item.field).sort();
