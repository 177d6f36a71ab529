import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Site } from '../../src/directory/sites/site.entity.ts';
import { startTestApp, type TestApp } from '../helpers/app.ts';
import { makeChain, type StaffedTenant, share } from '../helpers/staffed-tenant.ts';
import { type Json, merged, siteOf, undo } from './merging.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ shared: true });
});
afterAll(() => app.close());

const sees = async (who: StaffedTenant, { id }: Site): Promise<boolean> => {
  const { status, body } = await who.admin.http('GET', who.path(`/sites/${id}`));
  return status === 200 && (body as Json).data.id === id;
};
const end = (who: StaffedTenant, { id }: Json) => who.admin.http('DELETE', who.path(`/company_shares/${id}`));

/** Two places that the customer shares with a hauler, which shares the first of them on; the first was merged into the second. */
async function mergedPlaces() {
  const { owner, middle, last } = await makeChain(app);
  const [former, kept] = [await siteOf(owner, { name: 'Pit' }), await siteOf(owner, { name: 'The pit' })];
  const [first, second] = [await share(owner, middle, 'Site', former.id), await share(owner, middle, 'Site', kept.id)];
  const on = await share(middle, last, 'Site', former.id);
  const merge = await merged(owner, 'sites', kept.id, [former.id]);
  expect([await sees(middle, kept), await sees(last, kept)]).toEqual([true, true]);
  return { owner, middle, last, former, kept, first, second, on, merge };
}

test('what was shared on of a merged place ends with the share that counts', async () => {
  const { owner, middle, last, kept, second, on } = await mergedPlaces();
  expect(await last.must('GET', last.path(`/company_shares/${on.id}`))).toMatchObject({ parent_company_share_id: second.id });
  expect((await end(owner, second)).status).toBe(204);
  expect([await sees(middle, kept), await sees(last, kept)]).toEqual([false, false]);
  expect((await last.http('GET', last.path(`/company_shares/${on.id}`))).status).toBe(404);
});

test('it has no more rights than the share that counts, and hangs on its own again when the merge is undone', async () => {
  const { owner, middle, last, former, kept, first, second, on, merge } = await mergedPlaces();
  await owner.must('PATCH', owner.path(`/company_shares/${second.id}`), { expires_at: new Date(Date.now() - 1_000).toISOString() });
  expect([await sees(middle, kept), await sees(last, kept)]).toEqual([false, false]);
  expect((await undo(owner, merge.id)).status).toBe(200);
  expect(await last.must('GET', last.path(`/company_shares/${on.id}`))).toMatchObject({ parent_company_share_id: first.id });
  expect([await sees(middle, former), await sees(last, former), await sees(last, kept)]).toEqual([true, true, false]);
  expect((await end(owner, first)).status).toBe(204);
  expect([await sees(middle, former), await sees(last, former)]).toEqual([false, false]);
});

test('what was shared on by a share that has ended does not begin again by the share of the place that stays', async () => {
  const { owner, middle, last } = await makeChain(app);
  const [former, kept] = [await siteOf(owner, { name: 'Pit' }), await siteOf(owner, { name: 'The pit' })];
  const third = await siteOf(owner, { name: 'Old pit' });
  const first = await share(owner, middle, 'Site', former.id);
  await share(owner, middle, 'Site', kept.id);
  await share(middle, last, 'Site', former.id);
  const endAt = (expires_at: string | null) => owner.must('PATCH', owner.path(`/company_shares/${first.id}`), { expires_at });
  await endAt(new Date(Date.now() - 1_000).toISOString());
  expect([await sees(middle, former), await sees(last, former)]).toEqual([false, false]);
  const merge = await merged(owner, 'sites', kept.id, [former.id]);
  expect([await sees(middle, kept), await sees(last, kept)]).toEqual([true, false]);
  // Nor does it when something else is merged into that one, and undone.
  const other = await merged(owner, 'sites', kept.id, [third.id]);
  expect(await sees(last, kept)).toBe(false);
  expect((await undo(owner, other.id)).status).toBe(200);
  expect(await sees(last, kept)).toBe(false);
  expect((await undo(owner, merge.id)).status).toBe(200);
  expect([await sees(last, former), await sees(last, kept)]).toEqual([false, false]);
  await endAt(null);
  expect([await sees(middle, former), await sees(last, former), await sees(last, kept)]).toEqual([true, true, false]);
});

test('a share that has ended goes on to say what the merged place was called, and nothing of the one that stays', async () => {
  const { owner, middle } = await makeChain(app);
  const [former, kept] = [await siteOf(owner, { name: 'Pit' }), await siteOf(owner, { name: 'Secret pit' })];
  const { id } = await share(owner, middle, 'Site', former.id);
  const path = `/company_shares/${id}`;
  await owner.must('PATCH', owner.path(path), { expires_at: new Date(Date.now() - 1_000).toISOString() });
  const merge = await merged(owner, 'sites', kept.id, [former.id]);
  const named = async () => (await middle.must('GET', middle.path(path))).company_shareable.name;
  expect(await named()).toBe('Pit');
  expect((await undo(owner, merge.id)).status).toBe(200);
  expect(await named()).toBe('Pit');
});
