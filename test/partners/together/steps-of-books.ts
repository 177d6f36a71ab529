import { anyRow, type Step, sideOf } from './acting.ts';
import { note, rowsOf, type World, write } from './scene.ts';

/** What a vendor does until its bill is at the company that hired it; each of it may be refused. */
const bill: Step = async (world, dice) => {
  const job = await anyRow(
    world,
    dice,
    'job',
    `state in ('completed', 'ended', 'in_review', 'signed_off') and exists (select from job_assignment a where a.job_id = t.id)`,
  );
  if (!job) return false;
  const links = await rowsOf(world.app, 'select vendor_company_id from job_assignment where job_id = ? order by link', [job.id]);
  const side = sideOf(world, dice.of(links).vendor_company_id);
  if (!side) return false;
  for (const { id } of await rowsOf(world.app, 'select id from load where job_id = ? order by ordinality', [job.id]))
    await write(world, side, 'PUT', side.path(`/loads/${id}/approve`), {});
  await world.app.settled();
  const [invoice] = await rowsOf(
    world.app,
    `select id from invoice where job_id = ? and company_id = ? and side = 'receivable' and state = 'pending'`,
    [job.id, side.company.id],
  );
  if (!invoice) return false;
  await write(world, side, 'PUT', side.path(`/invoices/${invoice.id}/approve`), {});
  if (dice.chance(0.3)) return write(world, side, 'PUT', side.path(`/invoices/${invoice.id}/send_invoice`), {});
  const made = await write(world, side, 'POST', side.path('/settlements'), { invoice_ids: [invoice.id] });
  if (made.status !== 201) return made;
  const at = side.path(`/settlements/${made.body.data.id}`);
  if (dice.chance(0.4)) await write(world, side, 'POST', `${at}/add_on_charges`, { name: 'Fee', quantity: 1, revenue_rate_value: 5 });
  await write(world, side, 'PUT', `${at}/approve`, {});
  return write(world, side, 'PUT', `${at}/send_settlement`, {});
};

/** The company that owes it agrees, pays, or disputes it and has its sender take it back. */
const answer: Step = async (world, dice) => {
  const table = dice.of(['settlement', 'settlement', 'invoice']);
  const sent = await anyRow(world, dice, table, 'sent_to_company_id is not null');
  const side = sent && sideOf(world, sent.sent_to_company_id);
  if (!side) return false;
  const path = side.path(`/${table}s/${sent.id}`);
  if (table === 'settlement' && dice.chance(0.5)) return release(world, sent.id, side.admin.token);
  return write(world, side, 'PUT', `${path}/${dice.of(['customer_approve', 'customer_pay'])}`, {});
};

const RELEASE = 'mutation($id: ID!) { customerReleaseSettlement(id: $id) }';
/** The customer lets its sender have it back. */
async function release(world: World, id: string, token: string): Promise<unknown> {
  const { status, headers, body } = await world.app.graphql(RELEASE, { id }, { token });
  const refused = body.errors !== undefined;
  note(world, `release ${id}`, { status: refused ? 422 : status, headers, body: { error: body.errors } });
  return body;
}

const EVENTS = ['approve', 'unapprove', 'send_settlement', 'pay', 'undo_pay', 'void'];
const onSettlement: Step = async (world, dice) => {
  const one = await anyRow(world, dice, 'settlement');
  const side = one && sideOf(world, one.company_id);
  return side ? write(world, side, 'PUT', side.path(`/settlements/${one.id}/${dice.of(EVENTS)}`), {}) : false;
};
const onInvoice: Step = async (world, dice) => {
  const one = await anyRow(world, dice, 'invoice');
  const side = one && sideOf(world, one.company_id);
  return side
    ? write(world, side, 'PUT', side.path(`/invoices/${one.id}/${dice.of(['approve', 'unapprove', 'send_invoice', 'void'])}`), {})
    : false;
};

/** A ticket of the company whose job it is, or of one that hauls it. */
const changeTicket: Step = async (world, dice) => {
  const ticket = await anyRow(world, dice, 'ticket');
  if (!ticket) return false;
  const side = dice.chance(0.7) ? sideOf(world, ticket.company_id) : dice.of(world.sides);
  if (!side) return false;
  if (dice.chance(0.2)) return write(world, side, 'PUT', `/v1/tickets/${ticket.id}/void`, {});
  return write(world, side, 'PATCH', `/v1/tickets/${ticket.id}`, { quantity: dice.of(['12', '18.5', '24']), unit_of_measure: 'Ton' });
};
const makeTicket: Step = async (world, dice) => {
  const load = await anyRow(world, dice, 'load');
  if (!load) return false;
  const links = await rowsOf(world.app, 'select vendor_company_id from job_assignment where job_id = ?', [load.job_id]);
  const side = sideOf(world, dice.of([load.company_id, ...links.map(({ vendor_company_id }) => vendor_company_id)]));
  if (!side) return false;
  return write(world, side, 'POST', '/v1/tickets', {
    ...{ load_id: load.id, ticket_number: `N-${++world.number}`, quantity: dice.of(['9', '20.25']), unit_of_measure: 'Ton' },
  });
};

/** What is done with the books and proofs of work. */
export const BOOKS: Readonly<Record<string, Step>> = {
  'bill a job': bill,
  'answer a bill': answer,
  'fire an event of a settlement': onSettlement,
  'fire an event of an invoice': onInvoice,
  'change a ticket': changeTicket,
  'make a ticket': makeTicket,
};
