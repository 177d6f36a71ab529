import { sendForm } from '../../files/form.ts';
import { png } from '../../ingest/files/sample-files.ts';
import { by, type Dice, daysOf, type Json, jobsOf, loadsOf, ordersOf, pick, type Scene, ticketsOf } from './scene.ts';
import { nextNumber, onJob, onLoad, type Step, somebody } from './work-steps.ts';

const onTicket =
  (act: (scene: Scene, dice: Dice, ticket: Json) => ReturnType<Step>, fit?: (ticket: Json) => boolean): Step =>
  async (scene, dice) => {
    const ticket = pick(dice, await ticketsOf(scene), fit);
    return ticket && act(scene, dice, ticket);
  };
const isFree = ({ ticket, state }: Json): boolean => !ticket && state !== 'canceled';

/** A ticket of a load without one, of a job, or of nothing yet. */
const makeTicket: Step = async (scene, dice) => {
  const load = pick(dice, await loadsOf(scene), isFree);
  const of = dice.of<Json>([{ load_id: load?.id }, { load_id: load?.id }, { job_id: load?.job.id }, {}]);
  const ticket = { ...of, ticket_number: `N-${nextNumber()}`, quantity: dice.of([5, 21.4]), unit_of_measure: 'Ton' };
  return somebody(scene, dice).http('POST', '/v1/tickets', ticket);
};
const moveTicket: Step = async (scene, dice) => {
  const ticket = pick(dice, await ticketsOf(scene), ({ state }) => state !== 'voided');
  const load = pick(dice, await loadsOf(scene), isFree);
  return ticket && by(scene, 'PATCH', `/v1/tickets/${ticket.id}`, { load_id: dice.chance(0.3) ? null : (load?.id ?? null) });
};

const file = (): Parameters<typeof sendForm>[3] => [
  ['category', 'Other'],
  ['file', png(), `file ${nextNumber()}.png`],
];

/** The work of the beginning has files and charges, which come into sight and are lost with it. */
export async function beginProof(scene: Scene): Promise<void> {
  const { app, at } = scene;
  const loads = Map.groupBy(await loadsOf(scene), ({ job }) => job.id);
  for (const job of await jobsOf(scene)) {
    const [load] = loads.get(job.id) ?? [];
    for (const path of [`orders/${job.order.id}`, `jobs/${job.id}`, ...(load ? [`loads/${load.id}`] : [])])
      await sendForm(app, 'POST', `/v1/${path}/file_attachments`, file(), at.admin.token);
    await at.admin.must('POST', `/v1/jobs/${job.id}/add_on_charges`, { name: 'Wash', quantity: 1, revenue_rate_value: 7.5 });
  }
  for (const id of scene.projects) await sendForm(app, 'POST', `/v1/projects/${id}/file_attachments`, file(), at.admin.token);
}

/** Adds a file to a record of some kind. */
const addFile: Step = async (scene, dice) => {
  const kinds: readonly [string, () => Promise<Json[]>][] = [
    ['orders', () => ordersOf(scene)],
    ['jobs', () => jobsOf(scene)],
    ['loads', () => loadsOf(scene)],
    ['driver_days', () => daysOf(scene)],
    ['projects', async () => scene.projects.map((id) => ({ id }))],
  ];
  const [path, recordsOf] = dice.of(kinds);
  const record = pick(dice, await recordsOf());
  if (!record) return undefined;
  return sendForm(scene.app, 'POST', `/v1/${path}/${record.id}/file_attachments`, file(), somebody(scene, dice).token);
};

const stateOf =
  (state: string): Step =>
  async (scene, dice) => {
    const driver = dice.of(scene.drivers);
    return driver.here ? driver.http('PUT', `/v1/users/me/driver_day/${state}`, {}) : undefined;
  };

const approveInvoices: Step = async (scene) => {
  const found: Json[] = await scene.at.admin.must('GET', scene.at.path('/billing/approvable_invoices?page[limit]=100'));
  let last: Awaited<ReturnType<Step>>;
  for (const { id } of found) last = await by(scene, 'PUT', `/invoices/${id}/approve`, {});
  return last;
};
const settle: Step = async (scene, dice) => {
  const approved: Json[] = (await scene.at.admin.must('GET', scene.at.path('/invoices?filter[states][]=approved&page[limit]=100'))).filter(
    ({ settlement }: Json) => !settlement,
  );
  if (approved.length === 0) return undefined;
  const first = dice.of(approved);
  const payee = ({ customer_account, vendor_account, driver }: Json) => customer_account?.id ?? vendor_account?.id ?? driver?.id;
  const together = approved.filter((one) => payee(one) === payee(first) && dice.chance(0.7));
  return by(scene, 'POST', '/settlements', { invoice_ids: [...new Set([first, ...together].map(({ id }) => id))] });
};

/** What is done with the proof of work and its money, by what it is called. */
export const PROOF: Readonly<Record<string, Step>> = {
  'make a ticket': makeTicket,
  'move a ticket': moveTicket,
  'void a ticket': onTicket((scene, _dice, { id }) => by(scene, 'PUT', `/v1/tickets/${id}/void`, {})),
  'delete a ticket': onTicket((scene, _dice, { id }) => by(scene, 'DELETE', `/v1/tickets/${id}`)),
  'add a file': addFile,
  'go on duty': stateOf('on_duty'),
  'go off duty': stateOf('off_duty'),
  'charge a job': onJob((scene, dice, { id }) =>
    somebody(scene, dice).http('POST', `/v1/jobs/${id}/add_on_charges`, { name: 'Wash', quantity: 1, revenue_rate_value: 7.5 }),
  ),
  'approve a load': onLoad(
    (scene, _dice, { id }) => by(scene, 'PUT', `/loads/${id}/approve`, {}),
    ({ approvable }) => approvable,
  ),
  'approve a job': onJob(
    (scene, _dice, { id }) => by(scene, 'PUT', `/jobs/${id}/approve`, {}),
    ({ state }) => state === 'completed',
  ),
  'approve invoices': approveInvoices,
  settle,
};
