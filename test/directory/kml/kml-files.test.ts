import { afterAll, beforeAll, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { parseKml } from '../../../src/directory/kml/parse-kml.ts';
import { startTestApp, type TestApp } from '../../helpers/app.ts';
import { fieldsOf, makeTenant, type Tenant } from '../../helpers/tenant.ts';
import { processorTime } from '../../helpers/until.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

let app: TestApp;
let tenant: Tenant;
beforeAll(async () => {
  app = await startTestApp({ shared: true });
  tenant = await makeTenant(app);
});
afterAll(() => app.close());

const kml = (inside: string) =>
  `<?xml version="1.0" encoding="UTF-8"?>\n<kml xmlns="http://www.opengis.net/kml/2.2"><Document>${inside}</Document></kml>`;
const placemark = (name: string, inside: string) => `<Placemark><name>${name}</name>${inside}</Placemark>`;
const point = (coordinates: string) => `<Point><coordinates>${coordinates}</coordinates></Point>`;
const polygon = (...rings: string[]) =>
  `<Polygon>${rings.map((ring, i) => `<${i ? 'inner' : 'outer'}BoundaryIs><LinearRing><coordinates>${ring}</coordinates></LinearRing></${i ? 'inner' : 'outer'}BoundaryIs>`).join('')}</Polygon>`;
const SQUARE = '-97.75,30.25,0 -97.74,30.25,0 -97.74,30.26,0 -97.75,30.26,0 -97.75,30.25,0';
const FILE = kml(
  `<Style><name>Not a place</name></Style>${placemark('Crusher &amp; scale', `<description><![CDATA[Gate <b>4</b>]]></description>${point(' -97.500000000001,30.25,160 ')}`)}<Folder>${placemark('Carrière', polygon(SQUARE))}</Folder>`,
);
const send = (by: Tenant, file: string, more: object = {}) => by.http('POST', by.path('/kml_files'), { file, ...more });

test('every placemark of a file becomes a site, points and polygons', async () => {
  const made = await tenant.must('POST', tenant.path('/kml_files'), { file: FILE, name: 'Pits of the county' });
  expect(made).toEqual({
    id: expect.any(String),
    name: 'Pits of the county',
    file_name: 'sites.kml',
    file_url: expect.stringContaining(`/v1/kml_files/${made.id}/file?signature=`),
    created_at: expect.any(String),
    updated_at: expect.any(String),
  });
  const sites: Json[] = await tenant.must('GET', '/v1/sites?page[limit]=100');
  expect(sites.find(({ name }) => name === 'Crusher & scale')).toMatchObject({
    lon: '-97.500000000001',
    lat: '30.25',
    routable: true,
    notes: 'Gate <b>4</b>',
    routing_geofence: null,
  });
  expect(sites.find(({ name }) => name === 'Carrière')).toMatchObject({
    lon: '-97.745',
    lat: '30.255',
    routing_geofence: { geofence_type: 'polygon', geofence: { geojson: { coordinates: [expect.arrayContaining([[-97.74, 30.26]])] } } },
  });
  expect((await tenant.must('GET', tenant.path('/kml_files'))).map(({ id }: Json) => id)).toEqual([made.id]);
  // By the URL alone, by a token alone, and at the path of the contract.
  const bearer = { headers: { authorization: `Bearer ${tenant.token}` } };
  const content = `${app.url}/v1/kml_files/${made.id}/content`;
  for (const [url, options] of [[made.file_url], [made.file_url.split('?')[0], bearer], [content, bearer]] as const) {
    const kept = await fetch(url, options);
    expect([kept.headers.get('content-type'), await kept.text()]).toEqual([
      expect.stringMatching(/^application\/vnd\.google-earth\.kml\+xml/),
      FILE,
    ]);
  }
  const stranger = await makeTenant(app);
  const status = async (url: string, options = {}) => (await fetch(url, options)).status;
  expect([
    await status(made.file_url.split('?')[0]),
    await status(`${made.file_url}x`),
    await status(made.file_url, { headers: { authorization: `Bearer ${stranger.token}` } }),
  ]).toEqual([401, 404, 404]);
  expect(await tenant.must('PATCH', `/v1/kml_files/${made.id}`, { name: null })).toMatchObject({ name: null });
  expect((await tenant.http('DELETE', `/v1/kml_files/${made.id}`)).status).toBe(204);
  expect(await status(made.file_url)).toBe(404);
  expect([
    (await tenant.http('PATCH', `/v1/kml_files/${made.id}`, {})).status,
    await tenant.must('GET', tenant.path('/kml_files')),
  ]).toEqual([404, []]);
  expect((await tenant.must('GET', '/v1/sites?page[limit]=100')).length).toBe(sites.length);
});

test('a form uploads the file as browsers send it', async () => {
  const form = new FormData();
  form.set('name', 'By form');
  form.set('file', new Blob([FILE]), 'county.kml');
  const answer = await fetch(`${app.url}${tenant.path('/kml_files')}`, {
    method: 'POST',
    body: form,
    headers: { authorization: `Bearer ${tenant.token}` },
  });
  expect([answer.status, ((await answer.json()) as Json).data]).toMatchObject([201, { name: 'By form', file_name: 'county.kml' }]);
  const broken = new FormData();
  broken.set('file', new Blob([new Uint8Array([0xff, 0xfe])]), 'x.kml');
  const refused = await fetch(`${app.url}${tenant.path('/kml_files')}`, {
    method: 'POST',
    body: broken,
    headers: { authorization: `Bearer ${tenant.token}` },
  });
  expect(refused.status).toBe(400);
});

test('a part of a form of which something would be lost is refused by its name', async () => {
  const file = `--b\r\nContent-Disposition: form-data; name="file"; filename="a.kml"\r\n\r\n${FILE}\r\n`;
  const name = (value: string | Buffer) =>
    Buffer.concat([Buffer.from('--b\r\nContent-Disposition: form-data; name="name"\r\n\r\n'), Buffer.from(value), Buffer.from('\r\n')]);
  const before = (await tenant.must('GET', tenant.path('/kml_files'))).length;
  for (const [parts, message] of [
    [[name(Buffer.from([0x43, 0xe8])), file], 'is not UTF-8'],
    [[name('x\0y'), file], 'cannot be stored'],
    [[name('Pit'), name('Quarry'), file], 'is given more than once'],
    [[name('x'.repeat(70_000)), file], 'must have a length'],
  ] as const) {
    const body = new Uint8Array(Buffer.concat([...parts.map((part) => Buffer.from(part)), Buffer.from('--b--\r\n')]));
    const headers = { 'Content-Type': 'multipart/form-data; boundary=b' };
    const answer = await app.http('POST', tenant.path('/kml_files'), { token: tenant.token, body, headers });
    expect([answer.status, answer.body.error.errors]).toEqual([
      422,
      [{ model: 'KMLFile', field: 'name', message: expect.stringContaining(message) }],
    ]);
  }
  const twice = [file, file, '--b--\r\n'].join('');
  const headers = { 'Content-Type': 'multipart/form-data; boundary=b' };
  const { body } = await app.http('POST', tenant.path('/kml_files'), { token: tenant.token, body: twice, headers });
  expect(body.error.errors.map(({ field }: Json) => field)).toEqual(['file']);
  expect(await tenant.must('GET', tenant.path('/kml_files'))).toHaveLength(before);
});

const bomb = `<!DOCTYPE kml [<!ENTITY a "aaaaaaaaaa">${Array.from({ length: 9 }, (_, i) => `<!ENTITY ${'bcdefghij'[i]} "${`&${'abcdefghi'[i]};`.repeat(10)}">`).join('')}]>${kml(placemark('&j;', point('1,2')))}`;
test.each([
  ['entities that grow', bomb, ['file']],
  ['an entity nobody defined', kml(placemark('&nbsp;', point('1,2'))), ['file']],
  ['a depth of 100,000', kml('<Folder>'.repeat(100_000)), ['file']],
  ['no end', kml('').slice(0, -7), ['file']],
  ['something else', '<html><body>KML</body></html>', ['file']],
  ['nothing at all', '', ['file']],
  ['no placemark', kml(''), ['file']],
  ['501 placemarks', kml(placemark('P', point('1,2')).repeat(501)), ['file']],
  [
    'coordinates that are no numbers',
    kml(placemark('Good', point('1,2')) + placemark('Bad', point('NaN,Infinity'))),
    ['file.placemarks.1'],
  ],
  ['places off the globe', kml(placemark('A', point('181,0')) + placemark('B', point('0,91'))), ['file.placemarks.0', 'file.placemarks.1']],
  ['a polygon that crosses itself', kml(placemark('Bow', polygon('0,0 0.01,0.01 0.01,0 0,0.01 0,0'))), ['file.placemarks.0']],
  ['a polygon with a hole', kml(placemark('Ring', polygon(SQUARE, SQUARE))), ['file.placemarks.0']],
  ['a polygon of a million corners', kml(placemark('Big', polygon('1,2 '.repeat(1_000_000)))), ['file.placemarks.0']],
  ['a placemark without a name', kml(placemark('', point('1,2'))), ['file.placemarks.0']],
  [
    'a placemark without a place',
    kml(placemark('Road', '<LineString><coordinates>1,2 3,4</coordinates></LineString>')),
    ['file.placemarks.0'],
  ],
])('a file with %s is refused, and creates nothing', async (_, file, fields) => {
  const mine = await makeTenant(app);
  const answer = await send(mine, file);
  expect([answer.status, fieldsOf(answer)]).toEqual([422, fields]);
  expect([await mine.must('GET', mine.path('/kml_files')), (await mine.must('GET', '/v1/sites')).length]).toEqual([[], 2]);
});

test('other requests are answered while a large file is read', async () => {
  const reading = send(tenant, kml(placemark('Big', polygon('1,2 '.repeat(1_200_000)))));
  let slowest = 0;
  let done = false;
  void reading.finally(() => {
    done = true;
  });
  while (!done) {
    slowest = Math.max(slowest, await processorTime(() => new Promise((wake) => setTimeout(wake, 5))));
  }
  expect((await reading).status).toBe(422);
  // Reading takes seconds; what is left here is the body itself.
  expect(slowest).toBeLessThan(1500);
});

test('whatever a file contains, it is read or refused', async () => {
  const pieces = fc.constantFrom(
    '<kml>',
    '</kml>',
    '<Placemark>',
    '</Placemark>',
    '<name>',
    '</name>',
    'x',
    '&',
    '<![CDATA[',
    ']]>',
    '1,2',
    '<Point>',
    '</Point>',
    '<coordinates>',
    '</coordinates>',
    '\u0000',
    '<!--',
    '-->',
    '<?',
    '?>',
    '=',
    '"',
  );
  for (const file of fc.sample(
    fc.array(pieces, { maxLength: 30 }).map((all) => all.join('')),
    { numRuns: 40, seed: 3 },
  )) {
    const { placemarks, problems } = await parseKml(file);
    expect([file, placemarks.length > 0 || problems.length > 0]).toEqual([file, true]);
  }
});

test('a person who may not create sites creates none from files', async () => {
  const reader = await makeTenant(app, { permissions: [] });
  expect((await send(reader, FILE)).status).toBe(403);
  const stranger = await makeTenant(app);
  expect((await stranger.http('POST', tenant.path('/kml_files'), { file: FILE })).status).toBe(404);
});
