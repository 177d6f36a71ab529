import { expect, test } from '@jest/globals';
import { postFile } from './files/upload.ts';
import { app, openScene, order, send, tenant } from './sending.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

openScene();

test('outer blanks mean nothing, in ids, enumerations and forms', async () => {
  const [record] = await send('orders', [
    order({
      external_id: ' O-1 ',
      state: ' hold ',
      unit_of_measure: ' tons ',
      sites: [{ waypoint: ' pickup ', site_type: ' Quarry ', external_id: ' S-1 ', name: ' Pit ', lat: ' 30.1 ', lon: '-97.1 ' }],
    }),
  ]);
  expect(record).toMatchObject({ state: 'processed', imported_for: 'O-1', warnings: [] });
  const { waypoints, state } = await tenant.must('GET', `/v1/orders/${record.result_id}`);
  expect([state, waypoints[0].type, waypoints[0].site.name]).toEqual(['hold', 'pickup', 'Pit']);
  const gif = Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64');
  const upload = { external_id: ' O-1 ', file: gif, file_attachable_type: ' Order ', category: ' Site Map ', description: ' North ' };
  const filed = await postFile(app, upload, tenant.token);
  expect([filed.status, filed.body.data.category, filed.body.data.description]).toEqual([201, 'Site Map', 'North']);
});

test('the coordinates 0, 0 are no place', async () => {
  const [named, nowhere] = await send('orders', [
    order({ sites: [{ waypoint: 'pickup', name: 'Pit', lat: 0, lon: '0.000' }] }),
    order({ external_id: 'O-2', sites: [{ waypoint: 'pickup', lat: 0, lon: 0 }] }),
  ]);
  expect(named.warnings.map(({ code, pointer }: Json) => [code, pointer])).toEqual(
    expect.arrayContaining([
      ['zero_coordinates', '/sites/0'],
      ['site_not_routable', '/sites/0'],
    ]),
  );
  expect(nowhere.warnings.map(({ code }: Json) => code)).toEqual(expect.arrayContaining(['zero_coordinates', 'site_without_location']));
  const [first] = (await tenant.must('GET', `/v1/orders/${named.result_id}`)).waypoints;
  expect([first.site.lat, first.site.lon]).toEqual([null, null]);
});

test.each([
  ['2026-12-01T24:00', /^invalid_timestamp: \/load_at: has the hour 24.*00:00 of the next one$/],
  ['20261201T2400', /^invalid_timestamp: \/load_at: has the hour 24/],
  ['2026-12-31T23:59:60Z', /^invalid_timestamp: \/load_at: has the second 60: leap seconds/],
  ['2026-12-01T25:00', /^invalid_timestamp: \/load_at: is not an ISO 8601 timestamp/],
])('the time %s is refused with its reason', async (load_at, reason) => {
  const [record] = await send('orders', [order({ load_at })]);
  expect([record.state, record.last_error]).toEqual(['failed', expect.stringMatching(reason)]);
});

test.each([
  ['44,000', /^invalid_number: \/quantity: is not a number as JSON writes it: without grouping/],
  ['22,5', /^invalid_number: \/quantity: is not a number as JSON writes it.* such as 44000\.5$/],
  ['many', /^invalid_number: \/quantity: is not a number$/],
  [0.00001, /^invalid_number: \/quantity: is rounded to 0.*0\.0001 is the smallest$/],
  [0, /^invalid_number: \/quantity: must be more than 0$/],
])('the quantity %s of a ticket is refused with its reason', async (quantity, reason) => {
  const [record] = await send('tickets', [
    { ticket_number: 'T-1', service_date: '2026-12-01', truck_id: 'X', unit_of_measure: 'Ton', quantity },
  ]);
  expect([record.state, record.last_error]).toEqual(['failed', expect.stringMatching(reason)]);
});

test('a text of a form that is not UTF-8 is refused by its name, and nothing is kept', async () => {
  const body = Buffer.concat([
    Buffer.from('--b\r\nContent-Disposition: form-data; name="external_id"\r\n\r\nO-1\r\n'),
    Buffer.from('--b\r\nContent-Disposition: form-data; name="description"\r\n\r\nCarri'),
    Buffer.from([0xe8]),
    Buffer.from('re\r\n--b--\r\n'),
  ]);
  const headers = { 'Content-Type': 'multipart/form-data; boundary=b' };
  const answer = await app.http('POST', '/ingest/files', { token: tenant.token, body: new Uint8Array(body), headers });
  expect(answer.status).toBe(422);
  expect(answer.body.error.errors).toContainEqual(
    expect.objectContaining({ field: 'description', message: expect.stringContaining('is not UTF-8') }),
  );
});
