import { createHash } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Contact } from '../../../src/directory/contacts/contact.entity.ts';
import { sendForm } from '../../files/form.ts';
import { jobOfChain, makeChain, makeVendor, ONE_LOAD, type StaffedTenant } from '../../helpers/staffed-tenant.ts';
import { until } from '../../helpers/until.ts';
import { reach } from '../../helpers/walk.ts';
import { zoneAt } from '../../helpers/zones.ts';
import { jpeg, png } from '../../ingest/files/sample-files.ts';
import { type Chased, Chasing } from './chasing.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

let chasing: Chasing;
beforeAll(async () => {
  chasing = await Chasing.start({ limits: { perCaller: 100_000, perAddress: 200 } });
});
afterAll(() => chasing.app.close());

const get = (path: string) => chasing.app.http('GET', path);
const photo = (path: string, more: [string, string][] = [], bytes = jpeg(), name = 'ticket.jpg') =>
  sendForm(chasing.app, 'POST', path, [...more, ['image', bytes, name]], '');
const ticketsOf = ({ job }: Chased): Promise<Json[]> => chasing.sql('select * from ticket where job_id = $1 order by created_at', [job.id]);

/** A job whose driver was reminded, and the path of the link that they got. */
async function reminded(more: object = {}): Promise<Chased & { path: string }> {
  const one = await chasing.hauled(12, more);
  await chasing.pass(one, 0.6);
  const text = (await one.texts()).at(-1)!;
  return { ...one, path: new URL(/https?:\S+$/.exec(text)![0]).pathname };
}

test('a driver sends the picture of a ticket without an account, and it is a ticket of the load', async () => {
  const one = await reminded({ notes: 'Pay 55.50 an hour' });
  const page = await get(one.path);
  expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
  for (const said of [one.job.job_id, 'Quarry', '<input id="image" name="image" type="file"']) expect(page.body).toContain(said);
  expect(page.body).not.toMatch(/55\.50|\$|price|rate/i);
  const sent = await photo(one.path);
  expect([sent.status, new URL(sent.headers.get('location')!).pathname]).toEqual([303, one.path]);
  const [ticket] = await ticketsOf(one);
  expect(ticket).toMatchObject({ state: 'pending', source: 'driver_app', load_id: one.load.id, image_mime_type: 'image/jpeg' });
  const done = await get(one.path);
  expect([done.status, done.body]).toEqual([200, expect.stringContaining('Nothing is missing')]);
  expect(done.body).not.toContain('<form');
  // The link is spent once the picture is in.
  expect((await photo(one.path)).status).toBe(404);
  await one.texts();
  expect(await chasing.chasesOf(one)).toMatchObject([{ state: 'answered' }]);
  expect(await one.tenant.must('GET', `/v1/tickets/${ticket.id}/verify`)).toMatchObject({ unbroken: true });
  const [audit] = await chasing.sql(`select created_by_type, created_by_name from audit_entry where subject_id = $1 and event = 'create'`, [
    ticket.id,
  ]);
  expect(audit).toEqual({ created_by_type: 'System', created_by_name: 'System' });
});

test('B10: a picture of work of a week that is reviewed comes late, and is taken', async () => {
  const one = await reminded();
  const choose = 'mutation($input: UpdateCompanySettingsInput!) { updateCompanySettings(input: $input) { periodsReviewed } }';
  const input = { periodsReviewed: true, workReviewMinutes: 1_440, billingReviewMinutes: 1_440 };
  expect((await one.tenant.gql(choose, { input }, await one.tenant.administrator())).errors).toBeUndefined();
  await chasing.sql(`update job set job_start_at = job_start_at - interval '20 days' where id = $1`, [one.job.id]);
  const edited = await one.tenant.dispatcher.http('PATCH', `/v1/loads/${one.load.id}`, { quantity: 5 });
  expect([edited.status, edited.body.error.errors[0].message]).toEqual([
    422,
    expect.stringMatching(/^belongs to a week that is not changed any more/),
  ]);
  expect((await photo(one.path)).status).toBe(303);
  expect(await ticketsOf(one)).toMatchObject([{ state: 'pending', load_id: one.load.id }]);
});

test('A4: the contact of a vendor without the app is texted, and the link takes the picture until another vendor hauls it', async () => {
  const chain = await makeChain(chasing.app, { timeZone: zoneAt(12) });
  const { owner, middle } = chain;
  const contactOf = async (account: string, of: StaffedTenant) => {
    const { phone } = reach();
    const { id } = await of.save(Contact, { companyId: of.company.id, name: 'Pat', phone });
    await chasing.sql('update account set primary_contact_id = $2 where id = $1', [account, id]);
    return phone;
  };
  const phone = await contactOf(chain.hired.id, owner);
  // The companies that its vendor hires are not the owner's to text.
  const below = await contactOf(chain.subHired.id, middle);
  /** A job of the chain whose one load was completed 40 minutes ago by a driver who has no telephone, and no device either. */
  const hauled = async (preferences: object = {}) => {
    const { id, go } = await jobOfChain(chain);
    await chasing.sql('update app_user set preferences = $2 where id = (select driver_id from job where id = $1)', [id, preferences]);
    await owner.must('PATCH', `/v1/orders/${(await owner.must('GET', `/v1/jobs/${id}`)).order.id}`, { chase_missing_tickets: true });
    for (const event of ONE_LOAD) await go(event);
    await chasing.pass({ job: { id } }, 0.6);
    return id;
  };
  const job = await hauled();
  const [text, ...more] = await chasing.textsTo(phone);
  expect([text, more, await chasing.textsTo(below)]).toEqual([expect.stringMatching(/^Customer: a ticket of job .* is missing/), [], []]);
  const path = new URL(/https?:\S+$/.exec(text!)![0]).pathname;
  expect((await get(path)).status).toBe(200);
  // The number was a stranger's. When it is corrected, what was sent there ends.
  const corrected = async (to: string) =>
    chasing.sql('update contact set phone = $2 where id = (select primary_contact_id from account where id = $1)', [chain.hired.id, to]);
  await corrected(reach().phone);
  expect((await get(path)).status).toBe(404);
  await corrected(phone);
  expect((await get(path)).status).toBe(200);
  // The job is another vendor's now: the first one's link ends, and the office has the second one asked.
  const other = await makeVendor(owner);
  await chasing.sql('update job_assignment set vendor_account_id = $2 where job_id = $1 and link = 0', [job, other.id]);
  expect((await get(path)).status).toBe(404);
  const ask = () => owner.dispatcher.gql('mutation ($id: ID!) { askForMissingTickets(id: $id) { id } }', { id: job });
  const next = await contactOf(other.id, owner);
  expect((await ask()).errors).toBeUndefined();
  const [another] = await chasing.textsTo(next);
  expect((await photo(new URL(/https?:\S+$/.exec(another!)![0]).pathname)).status).toBe(303);
  await chasing.textsTo(next);
  expect(await chasing.chasesOf({ job: { id: job } })).toMatchObject([{ state: 'answered', reminders: 2 }]);
  expect(await chasing.sql('select source, state from ticket where job_id = $1', [job])).toEqual([
    { source: 'driver_app', state: 'pending' },
  ]);
  // A driver who wants no reminders is not gone round.
  await hauled({ notifications: { pending_job_reminder: [] } });
  expect(await chasing.textsTo(phone)).toEqual([text]);
});

test('of several loads the driver chooses, and what nobody knows waits for the office', async () => {
  const one = await reminded();
  await chasing.sql(`update load set state = 'completed', summary_load_completed_at = now() where job_id = $1`, [one.job.id]);
  const page = await get(one.path);
  const [, second] = [...String(page.body).matchAll(/<option value="([\w-]{36})">/g)].map(([, id]) => id!);
  expect((await photo(one.path, [['load', '']])).status).toBe(303);
  expect((await photo(one.path, [['load', second!]])).status).toBe(303);
  // What was chosen has its ticket by now, or is a load of somebody else: that is not the one that is left.
  const other = await chasing.hauled();
  for (const load of [second!, other.load.id]) expect((await photo(one.path, [['load', load]])).status).toBe(303);
  // With one load left, the choice is not needed.
  expect((await photo(one.path)).status).toBe(303);
  const loads = (await ticketsOf(one)).map(({ load_id: id }) => id);
  expect(loads).toEqual([null, second, null, null, expect.any(String)]);
  expect(loads[4]).not.toBe(second);
  expect([await ticketsOf(other), (await get(one.path)).body]).toEqual([[], expect.stringContaining('Photos received: 5')]);
});

test('whatever is no link of today is answered alike, and nothing of it is stored', async () => {
  const [one, expired, given, canceled, discarded, corrected] = [
    await reminded(),
    await reminded(),
    await reminded(),
    await reminded(),
    await reminded(),
    await reminded(),
  ];
  const token = one.path.split('/').at(-1)!;
  const turned = token.slice(0, -2) + (token.endsWith('AA') ? 'BB' : 'AA');
  await chasing.pass(expired, 73);
  const { id: other } = (await given.tenant.person({ roles: ['driver'] })).user;
  await chasing.sql('update job set driver_id = $2 where id = $1', [given.job.id, other]);
  await chasing.sql(`update job set state = 'canceled' where id = $1`, [canceled.job.id]);
  await chasing.sql('update app_user set discarded_at = now() where phone = $1', [discarded.phone]);
  await chasing.sql('update app_user set phone = $2 where phone = $1', [corrected.phone, reach().phone]);
  const hash = createHash('sha256').update(token).digest('hex');
  const wrong = [
    `/t/${turned}`,
    '/t/x',
    `/t/${'A'.repeat(43)}`,
    `/t/${token}A`,
    `/t/${hash}`,
    `/t/${one.job.id}`,
    `/t/%00${token.slice(1)}`,
  ];
  const paths = [...wrong, expired.path, given.path, canceled.path, discarded.path, corrected.path];
  const usual = (await get(paths[0]!)).body;
  for (const path of paths) {
    const [shown, sent] = [await get(path), await photo(path)];
    expect([path, shown.status, shown.body, sent.status, sent.body]).toEqual([path, 404, usual, 404, usual]);
  }
  for (const each of [expired, given, canceled, discarded, corrected]) expect(await ticketsOf(each)).toEqual([]);
  // The database has no token that would open anything.
  const kept = await chasing.sql('select row_to_json(p)::text as row from photo_link p');
  const messages = await chasing.sql('select row_to_json(m)::text as row from outgoing_message m');
  for (const { row } of [...kept, ...messages]) expect(row).not.toContain(token);
  expect(kept.map(({ row }) => row).join()).toContain(hash);
});

test('what is no picture is refused, and leaves neither ticket nor file', async () => {
  const one = await reminded();
  const html = Buffer.from('<!doctype html><script>alert(1)</script>');
  const large = Buffer.concat([jpeg(), Buffer.alloc(10 * 1024 * 1024 + 1)]);
  const refused = [
    ...[await photo(one.path, [], html), await photo(one.path, [], png(), 'ticket.jpg'), await photo(one.path, [], jpeg().subarray(0, 60))],
    ...[await photo(one.path, [], large), await photo(one.path, [], Buffer.alloc(0)), await photo(one.path, [['company_id', 'x']])],
    await sendForm(chasing.app, 'POST', one.path, [['load', one.load.id]], ''),
    await chasing.app.http('POST', one.path, { body: { image: 'x' } }),
    await chasing.app.http('POST', one.path, { body: 'x', headers: { 'Content-Type': 'multipart/form-data' } }),
  ];
  expect(refused.map(({ status }) => status)).toEqual([422, 422, 422, 422, 422, 422, 422, 415, 400]);
  for (const { body, headers } of refused)
    expect([body, headers.get('content-type')]).toEqual([expect.stringContaining('not taken'), 'text/html; charset=utf-8']);
  expect(await ticketsOf(one)).toEqual([]);
  expect(await chasing.sql('select 1 from direct_upload where company_id = $1', [one.tenant.company.id])).toEqual([]);
  // A picture still comes in, whatever came before.
  expect((await photo(one.path)).status).toBe(303);
});

test('two that send at the same time make one ticket, and a link takes only so many tries', async () => {
  const one = await reminded();
  const answers = await Promise.all([photo(one.path), photo(one.path), photo(one.path)]);
  expect(answers.filter(({ status }) => status === 303)).toHaveLength(1);
  expect(await ticketsOf(one)).toHaveLength(1);
  const two = await reminded();
  await chasing.sql('update photo_link set attempts = 40 where company_id = $1', [two.tenant.company.id]);
  expect((await photo(two.path)).status).toBe(429);
  await chasing.sql('update photo_link set attempts = 0, photos = 10 where company_id = $1', [two.tenant.company.id]);
  expect([(await photo(two.path)).status, await ticketsOf(two)]).toEqual([404, []]);
});

test('names are text on the page, which can load and run nothing', async () => {
  const one = await reminded();
  const evil = `"><script>alert('1')</script>&amp;`;
  await chasing.sql('update site set name = $2 where company_id = $1', [one.tenant.company.id, evil]);
  await chasing.sql('update job set job_id = $2 where id = $1', [one.job.id, evil]);
  await chasing.sql(`update load set load_id = $2, state = 'completed' where job_id = $1`, [one.job.id, evil]).catch(() => undefined);
  const { body, headers } = await get(one.path);
  expect(body).toContain('&quot;&gt;&lt;script&gt;alert(&#39;1&#39;)&lt;/script&gt;&amp;amp;');
  expect(body).not.toContain('<script');
  const policy = headers.get('content-security-policy')!;
  expect(policy).toMatch(
    /^default-src 'none'; style-src 'sha256-[^']+'; img-src data:; base-uri 'none'; form-action 'self'; frame-ancestors 'none'$/,
  );
  const style = /<style>(.*?)<\/style>/.exec(String(body))![1]!;
  expect(policy).toContain(`'sha256-${createHash('sha256').update(style).digest('base64')}'`);
  expect([headers.get('cache-control'), headers.get('referrer-policy'), headers.get('x-frame-options')]).toEqual([
    ...['no-store', 'no-referrer', 'DENY'],
  ]);
  const french = await chasing.app.http('GET', one.path, { headers: { 'Accept-Language': 'fr' } });
  expect(french.body).toContain('<html lang="fr-ca">');
});

test('guesses are counted for the address that makes them', async () => {
  let last = await get('/t/guess');
  await until(async () => {
    for (let n = 0; n < 50 && last.status !== 429; n++) last = await get(`/t/${String(n).padStart(43, 'A')}`);
    return last.status === 429;
  });
  expect(Number(last.headers.get('retry-after'))).toBeGreaterThan(0);
});
