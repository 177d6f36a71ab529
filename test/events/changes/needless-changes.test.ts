import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import sharp from 'sharp';
import { sendForm } from '../../files/form.ts';
import { startTestApp, type TestApp } from '../../helpers/app.ts';
import { act, connect, jobOf, makeStaffedTenant } from '../../helpers/staffed-tenant.ts';
import { png } from '../../ingest/files/sample-files.ts';
import { Replica } from '../follower.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ previews: true });
});
afterAll(() => app.close());

test('a preview of a ticket changes the ticket and the load that show it, and nothing that counts it; one that is tried in vain changes nothing', async () => {
  const of = await makeStaffedTenant(app);
  const job = await jobOf(of);
  const [load]: Json[] = await of.must('GET', of.path(`/jobs/${job.id}/loads`));
  const ticket = await of.must('POST', '/v1/tickets', { load_id: load.id, ticket_number: 'P-1', quantity: '20', unit_of_measure: 'Ton' });
  const copy = await new Replica(of).begin();
  const sql = (text: string): Promise<Json[]> => app.orm.em.fork().getConnection().execute(text, [ticket.id]);
  const after = async (): Promise<string[]> => {
    await app.settled();
    return (await copy.follow()).sort();
  };
  const photo = await sharp({ create: { width: 60, height: 50, channels: 3, background: 'red' } })
    .jpeg()
    .toBuffer();
  const { status } = await sendForm(app, 'POST', `/v1/tickets/${ticket.id}/image`, [['image', photo, 'slip.jpg']], of.token);
  expect(status).toBe(201);
  await copy.follow();
  // The storage does not return the picture: a preview is tried, and is due again later.
  const [{ image_id }] = await sql('select image_id from ticket where id = ?');
  const [stored, away] = [join(app.folder, 'files', image_id), join(app.folder, 'away')];
  await rename(stored, away);
  expect(await after()).toEqual([]);
  expect(await sql('select preview_attempts as tries, preview_due_at > now() as later from ticket where id = ?')).toEqual([
    { tries: 1, later: true },
  ]);
  await rename(away, stored);
  await sql('update ticket set preview_due_at = now() where id = ?');
  expect(await after()).toEqual(['Load update', 'Ticket update']);
  expect(copy.records.get(`Load ${load.id}`).ticket.preview_url).toContain(`/v1/tickets/${ticket.id}/image/preview`);
  // What is counted of the ticket changes those that count it, as before.
  await of.must('PATCH', `/v1/tickets/${ticket.id}`, { quantity: '21' });
  expect(await copy.follow()).toEqual(expect.arrayContaining(['Ticket update', 'Load update', 'Job update', 'Order update']));
});

test('the files of a job are reported to a vendor when it gets the job and loses it, and not when it is paid otherwise', async () => {
  const [owner, vendor] = [await makeStaffedTenant(app), await makeStaffedTenant(app)];
  const hired = await connect(owner, vendor);
  const job = await jobOf(owner);
  const sent = await sendForm(app, 'POST', `/v1/jobs/${job.id}/file_attachments`, [['file', png(), 'gate.png']], owner.token);
  expect(sent.status).toBe(201);
  await app.settled();
  const file = `FileAttachment ${sent.body.data.id}`;
  const copy = await new Replica(vendor).begin();
  await act(owner, job.id, 'assign_vendor', { vendor_id: hired.id });
  expect(await copy.follow()).toContain('FileAttachment update');
  expect(copy.records.has(file)).toBe(true);
  const [link]: Json[] = await owner.admin.must('GET', owner.path(`/jobs/${job.id}/job_assignments`));
  await owner.admin.must('PATCH', owner.path(`/job_assignments/${link.id}`), { rate_value: '4', rate_type: 'RatePerTon' });
  const said = await copy.follow();
  expect(said).toContain('JobAssignment update');
  expect(said.filter((one) => one.startsWith('FileAttachment'))).toEqual([]);
  await act(owner, job.id, 'unassign');
  expect(await copy.follow()).toContain('FileAttachment removed');
  expect(copy.records.has(file)).toBe(false);
});
