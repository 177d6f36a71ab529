import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Office } from '../../scripts/load/office.ts';
import { loadPitPrices, readPitPrices } from '../../scripts/load/pit-prices.ts';
import { startTestApp, type TestApp } from '../helpers/app.ts';
import { makeTenant, type Tenant } from '../helpers/tenant.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

let app: TestApp;
let tenant: Tenant;
beforeAll(async () => {
  app = await startTestApp();
  tenant = await makeTenant(app, {
    permissions: ['create_site', 'create_materials', 'create_material_rate', 'edit_material_rate', 'view_vendor_rates'],
  });
});
afterAll(() => app.close());

const SHEET = `pit,address,material,price_per_ton_usd,lat,lon
Grey Cliffs Rock ,"648 UT-198, Santaquin","1"" Gravel",13,39.986234,-111.76045
Hansen Pit,"15547 Minuteman Dr, Draper",A1a,8.25,40.467977,-111.908433
Mt Jordan Pit,"15547 Minuteman Dr, Draper",A1a,7.85,40.467977,-111.908433
Mt Jordan Pit,"15547 Minuteman Dr, Draper",gravel,6,40.467977,-111.908433
`;

test('a sheet becomes sites, materials and prices at the sites; loaded again, only differences change', async () => {
  const office = new Office(app.url, tenant.token);
  // The tenant has Gravel already.
  expect(await loadPitPrices(office, readPitPrices(SHEET))).toEqual({ sites: 3, materials: 2, prices: 4, changed: 0, same: 0 });
  const rates = await tenant.must('GET', '/v1/material_rates');
  expect(
    rates.map((rate: Json) => [rate.site.name, rate.site.lat, rate.material.name, rate.buy_price, rate.unit_of_measure, rate.sell_price]),
  ).toEqual([
    ['Mt Jordan Pit', '40.467977', 'Gravel', '6', 'Ton', null],
    ['Mt Jordan Pit', '40.467977', 'A1a', '7.85', 'Ton', null],
    ['Hansen Pit', '40.467977', 'A1a', '8.25', 'Ton', null],
    ['Grey Cliffs Rock', '39.986234', '1" Gravel', '13', 'Ton', null],
  ]);
  expect(rates[3].site.full_address).toBe('648 UT-198, Santaquin');
  expect(await loadPitPrices(office, readPitPrices(SHEET.replace('8.25', '8.30')))).toEqual({
    ...{ sites: 0, materials: 0, prices: 0, changed: 1, same: 3 },
  });
});

test('a sheet that cannot be read is reported by its lines and not loaded', () => {
  expect(() => readPitPrices(SHEET.replace('7.85', 'ask').replace('A1a,8.25', ',8.25'))).toThrow('line 3, line 4');
  expect(() => readPitPrices('pit,price\nA,1')).toThrow('the first line is not pit,address');
});
