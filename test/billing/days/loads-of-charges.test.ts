import { expect, test } from '@jest/globals';
import { rateCard } from '../books.ts';
import { books, byDay, m1, payableOf } from './day-pay.ts';
import { touch, worked } from './worked-days.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

test('a charge for each load that is paid with the day is for the loads of the work that it was requested for, or to which it comes', async () => {
  const { own, by } = await byDay();
  const day = await m1(own);
  const hourly = { type: 'RatePerHour', time_rate: 32, time_minimum_minutes: 0, time_increment_minutes: 0 };
  const card = await rateCard(own, 'driver', hourly);
  const forEach = (name: string, rate: number, use: string) =>
    own.must('POST', '/v1/add_ons', {
      ...{ name, add_on_types: [use], add_on_rate_type: 'PerLoad', revenue_rate_value: rate, cost_rate_value: rate },
    });
  const [tarp, boots, rough, meal] = [
    await forEach('Tarp', 12, 'driver_pay'),
    await forEach('Boots', 3, 'driver_pay'),
    await forEach('Rough ground', 5, 'driver_pay'),
    await forEach('Meal', 2, 'driver_day'),
  ];
  await own.must('POST', `/v1/drivers/${own.driver.id}/auto_add_on_assignments`, { add_on_id: boots.id });
  await own.must('POST', `/v1/rates/${card.id}/auto_add_on_assignments`, { add_on_id: rough.id });
  const byHand = { driver_rate_value: 32, driver_rate_type: 'RatePerHour' };
  const [first, second, third] = [
    await worked(own, day.id, byHand, 60),
    await worked(own, day.id, { driver_rate_id: card.id }, 60),
    await worked(own, day.id, byHand, 60),
  ];
  await own.must('POST', `/v1/driver_days/${day.id}/add_on_charges`, { add_on_id: meal.id });
  const requested: Json = await own.must('POST', `/v1/jobs/${first.id}/add_on_charges`, { add_on_id: tarp.id });
  for (const job of [first, second, third]) await touch(own, job);
  const charged = async (): Promise<string[]> => {
    const { id } = (await payableOf(by, day.id)).body.data;
    const found: Json[] = await by.must('GET', by.path(`/invoices/${id}/add_on_charges`));
    return found.map(({ name, quantity, total_amount }) => `${name} ${quantity} ${total_amount}`).sort();
  };
  expect(await charged()).toEqual(['Boots 3 9', 'Meal 3 6', 'Rough ground 1 5', 'Tarp 1 12']);
  // As the request itself says.
  const [listed] = await own.must('GET', `/v1/jobs/${first.id}/add_on_charges`);
  expect([listed.id, listed.total_amount]).toEqual([requested.id, '12']);
  // A load that was turned away is none.
  const [load] = await own.must('GET', `/v1/jobs/${second.id}/loads`);
  await own.must('POST', '/v1/tickets', { load_id: load.id, ticket_number: 'R-1', quantity: 0, unit_of_measure: 'Ton' });
  await books.app.settled();
  expect(await charged()).toEqual(['Boots 2 6', 'Meal 2 4', 'Rough ground 0 0', 'Tarp 1 12']);
});
