import { expect, test } from '@jest/globals';
import { fieldsOf } from '../../helpers/tenant.ts';
import { makeBooks } from '../books.ts';
import { company, RATE_CARD } from './worked-days.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

const books = makeBooks();

test.each([
  [
    'a minimum by the day of a day rate',
    { type: 'RatePerDay', timeRate: '900', timeMinimumMinutes: 480, timeIncrementMinutes: 0, minimumPer: 'day' },
    'minimumPer',
  ],
  [
    'a time basis of a rate by the load',
    { type: 'RatePerLoad', unitRate: '5', unitMinimum: '0', unitIncrement: '0', timeBasis: 'site' },
    'timeBasis',
  ],
])('bad input: %s', async (_row, input, field) => {
  const { own } = await company(books);
  const { errors } = await own.gql(RATE_CARD, { input: { name: 'Card', ownerType: 'customer', ...input } }, await own.administrator());
  expect(errors[0].extensions.errors.map((item: Json) => item.field)).toEqual([field]);
  const answer = await own.http('POST', '/v1/rates', {
    name: 'Card',
    owner_type: 'customer',
    type: 'RatePerHour',
    time_rate: 5,
    minimum_per: 'day',
  });
  expect([answer.status, fieldsOf(answer)]).toEqual([422, expect.any(Array)]);
});
