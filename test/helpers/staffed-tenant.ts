import { ref } from '@mikro-orm/core';
import { Account } from '../../src/directory/accounts/account.entity.ts';
import type { Permission } from '../../src/identity/access/permissions.ts';
import { makeMachineClient } from '../../src/identity/machine-clients/machine-clients.ts';
import { issueToken } from '../../src/identity/tokens/tokens.ts';
import type { TestApp } from './app.ts';
import { makeTenantWith, orderInput, type Person, type Tenant } from './tenant.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

/** A tenant with people in its office. */
export interface StaffedTenant extends Tenant {
  admin: Person;
  dispatcher: Person;
}

/** Creates a tenant with an administrator and a dispatcher, in addition to its driver; `company` has columns of the company. */
export async function makeStaffedTenant(app: TestApp, company: object = {}): Promise<StaffedTenant> {
  const { tenant, people } = await makeTenantWith(app, [{ roles: ['company_admin'] }, { roles: ['dispatcher'] }], { company });
  const [admin, dispatcher] = people as [Person, Person];
  return { ...tenant, admin, dispatcher };
}

/** Creates an account of a tenant that it hires; `fields` may connect it with a company. */
export const makeVendor = (of: Tenant, fields: object = {}): Promise<Account> =>
  of.save(Account, { company: ref(of.company), name: 'Hired vendor', accountTypes: ['vendor'], ...fields });

/** Returns the token of one more machine client of a tenant. */
export async function machineToken(of: Tenant, permissions: readonly Permission[]): Promise<string> {
  const em = of.app.orm.em.fork();
  const { client } = makeMachineClient(em, of.company, { name: 'Sender', permissions });
  await em.flush();
  return (await issueToken(em, 'machine', client.id)).token;
}

/** Creates the account by which one company hires another. */
export const connect = (from: Tenant, to: Tenant): Promise<Json> =>
  from.must('POST', from.path('/accounts/connected'), { platform_id: to.company.platformId, account_types: ['vendor'] });

/** The id of the account that a company has of another one. */
export async function accountFor(of: Tenant, other: Tenant): Promise<string> {
  const accounts: Json[] = await of.must('GET', of.path('/accounts?page[limit]=100'));
  return accounts.find((account) => account.connected_company?.id === other.company.id).id;
}

export const share = (from: Tenant, to: Tenant, type: string, id: string, more: object = {}): Promise<Json> =>
  from.must('POST', from.path('/company_shares'), {
    receiver_company_id: to.company.id,
    company_shareable_type: type,
    company_shareable_id: id,
    ...more,
  });

/**
 * Creates a customer, the hauler it hires, and the owner-operator whom that one hires, with the accounts between them; `company` has columns
 * of all three.
 */
export async function makeChain(app: TestApp, company: object = {}) {
  const [owner, middle, last] = [
    await makeStaffedTenant(app, { ...company, legalName: 'Customer' }),
    await makeStaffedTenant(app, { ...company, legalName: 'Hauler' }),
    await makeStaffedTenant(app, { ...company, legalName: 'Owner-operator' }),
  ];
  return { owner, middle, last, hired: await connect(owner, middle), subHired: await connect(middle, last) };
}

/** Creates a job of the customer of a chain that was passed on to the owner-operator, whose new driver has accepted it. */
export async function jobOfChain({ owner, middle, last, hired, subHired }: Awaited<ReturnType<typeof makeChain>>) {
  const { user, token } = await last.person({ roles: ['driver'] });
  const { id }: { id: string } = await jobOf(owner);
  await act(owner, id, 'assign_vendor', { vendor_id: hired.id });
  await act(middle, id, 'assign_vendor', { vendor_id: subHired.id });
  await last.dispatcher.must('PATCH', `/v1/jobs/${id}`, { driver_id: user.id });
  await last.dispatcher.must('PUT', `/v1/jobs/${id}/request`, {});
  /** The driver fires an event of the job. */
  const go = (event: string, body: object = {}): Promise<Json> => last.must('PUT', `/v1/jobs/${id}/${event}`, body, token);
  await go('accept');
  return { id, token, go };
}

export interface MadeOrder {
  id: string;
  /** The lowest number first. */
  jobs: Json[];
}

/** Creates an order as the dispatcher. */
export async function plannedOrder(tenant: StaffedTenant, more: object = {}): Promise<MadeOrder> {
  const id = await postOrder(tenant, more);
  return { id, jobs: await jobsOf(tenant, id) };
}

/** Creates an order as the dispatcher, and accepts it. */
export async function acceptedOrder(tenant: StaffedTenant, more: object = {}): Promise<MadeOrder> {
  const id = await postOrder(tenant, more);
  await tenant.dispatcher.must('PUT', tenant.path(`/orders/${id}/accept`), {});
  return { id, jobs: await jobsOf(tenant, id) };
}

async function postOrder(tenant: StaffedTenant, more: object): Promise<string> {
  const usual = { material_id: tenant.material.id, loads_per_truck: 1 };
  return (await tenant.dispatcher.must('POST', tenant.path('/orders'), orderInput(tenant, { ...usual, ...more }))).id;
}

async function jobsOf(tenant: StaffedTenant, order: string): Promise<Json[]> {
  const jobs: Json[] = await tenant.dispatcher.must('GET', tenant.path(`/orders/${order}/jobs`));
  return jobs.sort((a, b) => a.job_id.localeCompare(b.job_id));
}

/** Returns a job of an accepted order, assigned to the tenant's driver and accepted by them. */
export async function readyJob(tenant: StaffedTenant, more: object = {}): Promise<Json> {
  const { id } = await jobOf(tenant, more);
  await tenant.dispatcher.must('PATCH', `/v1/jobs/${id}`, { driver_id: tenant.driver.id });
  await tenant.dispatcher.must('PUT', `/v1/jobs/${id}/request`, {});
  return tenant.driver.must('PUT', `/v1/jobs/${id}/accept`, {});
}

/** Returns the first job of an accepted order. */
export const jobOf = async (tenant: StaffedTenant, more: object = {}): Promise<Json> => (await acceptedOrder(tenant, more)).jobs[0];

/** Fires an event of a job, or calls another command on it. */
export const act = (who: StaffedTenant, id: string, event: string, body: object = {}, by = who.dispatcher): Promise<Json> =>
  by.must('PUT', who.path(`/jobs/${id}/${event}`), body);

export const read = (who: StaffedTenant, id: string, by = who.dispatcher) => by.http('GET', who.path(`/jobs/${id}`));

/** The events of one load, from leaving for the pickup to its end. */
export const ONE_LOAD = ['enroute', 'arrive', 'load_material', 'enroute', 'arrive', 'unload_material', 'complete_load'];

const SHORT_LOAD = ['enroute', 'load_material', 'enroute', 'unload_material', 'complete_load'];

/**
 * The fewest events of a job of so many loads, from leaving for the first pickup until it is complete: who loads has arrived, and who completes the
 * job completes its last load. For tests of what comes after the haul.
 */
export const shortHaul = (loads = 1): string[] => [
  ...Array.from({ length: loads }, () => SHORT_LOAD)
    .flat()
    .slice(0, -1),
  'complete',
];

/** Fires events of a job one after the other; returns the last answer. */
export async function drive(by: Person, jobId: string, ...events: string[]): Promise<Json> {
  let job: Json;
  for (const event of events) job = await by.must('PUT', `/v1/jobs/${jobId}/${event}`, {});
  return job;
}
