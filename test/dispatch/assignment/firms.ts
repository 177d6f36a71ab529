import type { TestApp } from '../../helpers/app.ts';
import { makeOrder, makeTenant, type Tenant } from '../../helpers/tenant.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

/** A company, with tokens of its people. */
export interface Firm extends Tenant {
  admin: string;
  dispatcher: string;
}

export async function makeFirm(app: TestApp, legalName: string): Promise<Firm> {
  const tenant = await makeTenant(app, { company: { legalName } });
  return {
    ...tenant,
    admin: (await tenant.person({ roles: ['company_admin'] })).token,
    dispatcher: (await tenant.person({ roles: ['dispatcher'] })).token,
  };
}

/** Creates the account by which one company hires another. */
export const connect = (from: Tenant, to: Tenant): Promise<Json> =>
  from.must('POST', from.path('/accounts/connected'), { platform_id: to.company.platformId, account_types: ['vendor'] });

export const share = (from: Tenant, to: Tenant, type: string, id: string, more: object = {}): Promise<Json> =>
  from.must('POST', from.path('/company_shares'), {
    receiver_company_id: to.company.id,
    company_shareable_type: type,
    company_shareable_id: id,
    ...more,
  });

/** Returns a job of an accepted order. */
export async function jobOf(of: Firm, more: object = {}): Promise<Json> {
  const order = await makeOrder(of, { loads_per_truck: 1, ...more });
  await of.must('PUT', of.path(`/orders/${order.id}/accept`), {});
  const [first] = await of.must('GET', of.path(`/orders/${order.id}/jobs`));
  return first;
}

/** Fires an event of a job, or calls another command on it. */
export const act = (who: Firm, id: string, event: string, body: object = {}, token = who.dispatcher): Promise<Json> =>
  who.must('PUT', who.path(`/jobs/${id}/${event}`), body, token);

export const read = (who: Firm, id: string, token = who.dispatcher) => who.http('GET', who.path(`/jobs/${id}`), undefined, token);

/** Creates a customer, the hauler it hires, and the owner-operator whom that one hires, with the accounts between them. */
export async function makeChain(app: TestApp) {
  const [owner, middle, last] = [await makeFirm(app, 'Customer'), await makeFirm(app, 'Hauler'), await makeFirm(app, 'Owner-operator')];
  return { owner, middle, last, hired: await connect(owner, middle), subHired: await connect(middle, last) };
}
