import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { feedOf, Replica } from '../../events/follower.ts';
import { sendForm } from '../../files/form.ts';
import { startTestApp, type TestApp } from '../../helpers/app.ts';
import { accountFor, act, connect, jobOf, makeChain, makeStaffedTenant, type StaffedTenant, share } from '../../helpers/staffed-tenant.ts';
import { png } from '../../ingest/files/sample-files.ts';
import { merged, siteOf } from '../../merging/merging.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ shared: true });
});
afterAll(() => app.close());

const filesOf = (copy: Replica): string[] =>
  [...copy.records.keys()].flatMap((key) => (key.startsWith('FileAttachment ') ? [key.split(' ')[1]!] : [])).sort();
async function attach(who: StaffedTenant, job: string): Promise<string> {
  const { status, body } = await sendForm(app, 'POST', `/v1/jobs/${job}/file_attachments`, [['file', png(), 'gate.png']], who.admin.token);
  expect([status, body.error]).toEqual([201, undefined]);
  return body.data.id;
}

test('a company in the middle of a chain learns that files of the one behind it are not its to read any more, and that they are again', async () => {
  const { owner, middle, last, hired, subHired } = await makeChain(app);
  const { id } = await jobOf(owner);
  await act(owner, id, 'assign_vendor', { vendor_id: hired.id });
  await act(middle, id, 'assign_vendor', { vendor_id: subHired.id });
  const copy = await new Replica(middle, middle.admin.token).begin();
  const file = await attach(last, id);
  await copy.follow();
  expect(filesOf(copy)).toEqual([file]);
  await act(middle, id, 'unassign');
  expect((await middle.admin.http('GET', `/v1/file_attachments/${file}`)).status).toBe(404);
  await copy.follow();
  expect(filesOf(copy)).toEqual([]);
  await act(middle, id, 'assign_vendor', { vendor_id: subHired.id });
  expect((await middle.admin.http('GET', `/v1/file_attachments/${file}`)).status).toBe(200);
  await copy.follow();
  expect(filesOf(copy)).toEqual([file]);
});

test('the owner of a job learns nothing of links between two others, not even that they end', async () => {
  const { owner, middle, hired, subHired } = await makeChain(app);
  const { id } = await jobOf(owner);
  await act(owner, id, 'assign_vendor', { vendor_id: hired.id });
  const copies = [await new Replica(owner, owner.admin.token).begin(), await new Replica(middle, middle.admin.token).begin()];
  const said = async () => {
    const all: string[][] = [];
    for (const copy of copies) all.push((await copy.follow()).filter((one) => one.startsWith('JobAssignment ')));
    return all;
  };
  await act(middle, id, 'assign_vendor', { vendor_id: subHired.id });
  const [ofOwner, ofMiddle] = await said();
  expect([ofOwner, ofMiddle!.length > 0]).toEqual([[], true]);
  const [link] = (await middle.must('GET', middle.path(`/jobs/${id}/job_assignments`))).filter((one: Json) => one.vendor_account);
  await middle.must('PATCH', `/v1/job_assignments/${link.id}`, { rate_value: 3, rate_type: 'RatePerTon' });
  expect(await said()).toEqual([[], ['JobAssignment update']]);
  await act(middle, id, 'unassign');
  expect((await said())[0]).toEqual([]);
  expect([...copies[1]!.records.keys()].filter((key) => key === `JobAssignment ${link.id}`)).toEqual([]);
  // Of the link that it made itself it learns everything.
  await act(owner, id, 'unassign');
  expect((await said())[0]).toEqual(['JobAssignment delete']);
});

test('whoever does not see the record into which another one was merged does not learn which one it is', async () => {
  const [sender, receiver] = [await makeStaffedTenant(app), await makeStaffedTenant(app)];
  await connect(sender, receiver);
  const copy = await new Replica(receiver, receiver.admin.token).begin();
  const [former, hidden, seen] = [
    await siteOf(sender, { name: 'Pit' }),
    await siteOf(sender, { name: 'Quarry' }),
    await siteOf(sender, { name: 'Other pit' }),
  ];
  const given = await share(sender, receiver, 'Site', former.id);
  await copy.follow();
  await sender.must('DELETE', sender.path(`/company_shares/${given.id}`));
  await merged(sender, 'sites', hidden.id, [former.id]);
  const lost = async (id: string): Promise<Json[]> => {
    const { body } = await feedOf(receiver, '?after=0&types=Site&limit=100', receiver.admin.token);
    const of: Json[] = body.data.filter((one: Json) => one.id === id && one.event === 'removed');
    return [...new Set(of.map(({ merged_into }) => merged_into))];
  };
  expect(await lost(former.id)).toEqual([null]);
  await share(sender, receiver, 'Site', seen.id);
  const other = await siteOf(sender, { name: 'Pit again' });
  await share(sender, receiver, 'Site', other.id);
  await copy.follow();
  await merged(sender, 'sites', seen.id, [other.id]);
  await copy.follow();
  expect(await lost(other.id)).toEqual([seen.id]);
  expect(copy.records.has(`Site ${seen.id}`)).toBe(true);
});

test('a load changes with its ticket, also for the company that hauls it', async () => {
  const { owner, middle, hired } = await makeChain(app);
  const { id } = await jobOf(owner);
  await act(owner, id, 'assign_vendor', { vendor_id: hired.id });
  const [load] = await owner.must('GET', `/v1/jobs/${id}/loads`);
  const copies = [await new Replica(owner, owner.admin.token).begin(), await new Replica(middle, middle.admin.token).begin()];
  const read = async () => {
    for (const copy of copies) await copy.follow();
    for (const [at, who] of [owner, middle].entries())
      expect(copies[at]!.records.get(`Load ${load.id}`)).toEqual(await who.admin.must('GET', `/v1/loads/${load.id}`));
    return copies[0]!.records.get(`Load ${load.id}`).ticket?.ticket_number;
  };
  const made = { load_id: load.id, ticket_number: 'T-1', quantity: '20', unit_of_measure: 'Ton' };
  const ticket = await owner.admin.must('POST', '/v1/tickets', made);
  expect(await read()).toBe('T-1');
  await owner.admin.must('PATCH', `/v1/tickets/${ticket.id}`, { ticket_number: 'T-2' });
  expect(await read()).toBe('T-2');
  await owner.admin.must('PUT', `/v1/tickets/${ticket.id}/void`, {});
  expect(await read()).toBeUndefined();
});

test('an account changes with what the other company says of it, and with nothing else that it keeps of us', async () => {
  const [one, other] = [await makeStaffedTenant(app), await makeStaffedTenant(app)];
  const ours = await connect(one, other);
  const theirs = await accountFor(other, one);
  const copy = await new Replica(one, one.admin.token).begin();
  const read = async () => {
    const said = (await copy.follow()).filter((what) => what.startsWith('Account '));
    const shown = copy.records.get(`Account ${ours.id}`);
    expect(shown).toEqual(await one.admin.must('GET', `/v1/accounts/${ours.id}`));
    return [said, shown.connected_account.truck_count, shown.connected_account.discarded_at !== null];
  };
  const change = (body: object) => other.admin.must('PATCH', `/v1/accounts/${theirs}`, body);
  await change({ notes: 'pays late', name: 'A customer' });
  expect(await read()).toEqual([[], 0, false]);
  await one.admin.must('PATCH', `/v1/accounts/${ours.id}`, { connected_account: { truck_count: 7 } });
  expect(await read()).toEqual([['Account update'], 7, false]);
  await other.admin.http('DELETE', `/v1/accounts/${theirs}`);
  expect(await read()).toEqual([['Account update'], 7, true]);
});
