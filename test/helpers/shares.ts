import { expect } from '@jest/globals';
import { ref } from '@mikro-orm/core';
import { Equipment } from '../../src/directory/equipment/equipment.entity.ts';
import { EquipmentType } from '../../src/directory/equipment/equipment-type.entity.ts';
import type { Answer, TestApp } from './app.ts';
import { makeYard, type Yard } from './yard.ts';

/** A company with a truck to share. */
export interface Owner extends Yard {
  truck: Equipment;
}
export async function makeOwner(app: TestApp, company: object = {}): Promise<Owner> {
  const yard = await makeYard(app, { company });
  const own = { company: ref(yard.company) };
  const type = await yard.save(EquipmentType, { ...own, name: 'Tandem' });
  return { ...yard, truck: await yard.save(Equipment, { ...own, name: 'Truck 7', equipmentType: ref(type), accountingId: 'A-7' }) };
}
export const connect = (yard: Yard, other: Yard) =>
  yard.must('POST', yard.path('/accounts/connected'), { platform_id: other.company.platformId, account_types: ['vendor'] });
/** Returns two of them, connected. */
export async function makePair(app: TestApp): Promise<[Owner, Owner]> {
  const [a, b] = [await makeOwner(app), await makeOwner(app)];
  await connect(a, b);
  return [a, b];
}
export const truckOf = (from: Owner, to: Yard, more: object = {}) => ({
  receiver_company_id: to.company.id,
  company_shareable_id: from.truck.id,
  company_shareable_type: 'Equipment',
  ...more,
});
export const share = (from: Yard, body: object, token?: string): Promise<Answer> =>
  from.http('POST', from.path('/company_shares'), body, token);
/** Creates a share, which must succeed. */
export const mustShare = async (from: Yard, body: object) => {
  const answer = await share(from, body);
  if (answer.status !== 201) throw new Error(JSON.stringify(answer.body));
  return answer.body.data;
};
/** Returns whether a truck is visible, by its id and in the list alike. */
export const sees = async (yard: Yard, truck: Equipment): Promise<boolean> => {
  const [one, listed] = [
    await yard.http('GET', yard.path(`/equipment/${truck.id}`)),
    (await yard.must('GET', yard.path('/equipment?page[limit]=100'))).some((each: { id: string }) => each.id === truck.id),
  ];
  expect([one.status, listed]).toEqual(listed ? [200, true] : [404, false]);
  return listed;
};
