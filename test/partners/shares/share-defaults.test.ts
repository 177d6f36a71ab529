import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { ref } from '@mikro-orm/core';
import { Equipment } from '../../../src/directory/equipment/equipment.entity.ts';
import { startTestApp, type TestApp } from '../../helpers/app.ts';
import { makePair, mustShare } from '../../helpers/shares.ts';
import { fieldsOf } from '../../helpers/tenant.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ shared: true });
});
afterAll(() => app.close());

test('no discarded truck becomes the default of a shared driver', async () => {
  const [a, b] = await makePair(app);
  const driver = { receiver_company_id: b.company.id, company_shareable_id: a.driver.id, company_shareable_type: 'User' };
  const { id } = await mustShare(a, driver);
  const path = b.path(`/company_shares/${id}`);
  const gone = await b.save(Equipment, {
    company: ref(b.company),
    name: 'Gone',
    equipmentType: b.truck.equipmentType,
    discardedAt: new Date(),
  });
  const refused = await b.http('PATCH', path, { default_equipment_id: gone.id, default_additional_equipment_ids: [b.truck.id, gone.id] });
  expect([refused.status, fieldsOf(refused)]).toEqual([422, ['default_additional_equipment_ids.1', 'default_equipment_id']]);
  const many = Array.from({ length: 101 }, () => b.truck.id);
  const tooMany = await b.http('PATCH', path, { default_additional_equipment_ids: many });
  expect([tooMany.status, fieldsOf(tooMany)]).toEqual([422, ['default_additional_equipment_ids']]);
  await b.must('PATCH', path, { default_equipment_id: b.truck.id });
  expect((await b.must('GET', b.path(`/drivers/${a.driver.id}`))).company_share).toMatchObject({ default_equipment: { id: b.truck.id } });
});
