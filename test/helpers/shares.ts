import { expect } from '@jest/globals';
import { ref } from '@mikro-orm/core';
import { Equipment } from '../../src/directory/equipment/equipment.entity.ts';
import { EquipmentType } from '../../src/directory/equipment/equipment-type.entity.ts';
import type { Answer, TestApp } from './app.ts';
import { makeTenant, type Tenant } from './tenant.ts';

/** A company with a truck to share. */
export interface Owner extends Tenant {
  truck: Equipment;
}
export async function makeOwner(app: TestApp, company: object = {}): Promise<Owner> {
  const tenant = await makeTenant(app, { company });
  const own = { company: ref(tenant.company) };
  const type = await tenant.save(EquipmentType, { ...own, name: 'Tandem' });
  return { ...tenant, truck: await tenant.save(Equipment, { ...own, name: 'Truck 7', equipmentType: ref(type), accountingId: 'A-7' }) };
}
export const connect = (tenant: Tenant, other: Tenant) =>
  tenant.must('POST', tenant.path('/accounts/connected'), { platform_id: other.company.platformId, account_types: ['vendor'] });
/** Returns two of them, connected. @param company fields of the first one's company */
export async function makePair(app: TestApp, company: object = {}): Promise<[Owner, Owner]> {
  const [a, b] = [await makeOwner(app, company), await makeOwner(app)];
  await connect(a, b);
  return [a, b];
}
export const truckOf = (from: Owner, to: Tenant, more: object = {}) => ({
  receiver_company_id: to.company.id,
  company_shareable_id: from.truck.id,
  company_shareable_type: 'Equipment',
  ...more,
});
export const share = (from: Tenant, body: object, token?: string): Promise<Answer> =>
  from.http('POST', from.path('/company_shares'), body, token);
/** Creates a share, which must succeed. */
export const mustShare = async (from: Tenant, body: object) => {
  const answer = await share(from, body);
  if (answer.status !== 201) throw new Error(JSON.stringify(answer.body));
  return answer.body.data;
};
/** Returns whether a truck is visible, by its id and in the list alike. */
export const sees = async (tenant: Tenant, truck: Equipment): Promise<boolean> => {
  const [one, listed] = [
    await tenant.http('GET', tenant.path(`/equipment/${truck.id}`)),
    (await tenant.must('GET', tenant.path('/equipment?page[limit]=100'))).some((each: { id: string }) => each.id === truck.id),
  ];
  expect([one.status, listed]).toEqual(listed ? [200, true] : [404, false]);
  return listed;
};
