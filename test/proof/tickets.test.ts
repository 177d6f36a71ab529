import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { ref } from '@mikro-orm/core';
import { Load } from '../../src/dispatch/model/load.entity.ts';
import { poolOf } from '../../src/platform/database/sql.ts';
import { Decimal } from '../../src/platform/decimal.ts';
import { publicUrl } from '../../src/platform/public-url.ts';
import { AiReview } from '../../src/proof/review/ai-review.entity.ts';
import { Ticket } from '../../src/proof/ticket.entity.ts';
import { sendForm } from '../files/form.ts';
import { startTestApp, type TestApp } from '../helpers/app.ts';
import { fieldsOf, makeOrder, makeTenant, type Tenant } from '../helpers/tenant.ts';
import { unsigned } from '../helpers/unsigned.ts';
import { jpeg, png } from '../ingest/files/sample-files.ts';
import { makeTicket, makeWholeTicket } from './make-ticket.ts';

let app: TestApp;
let tenant: Tenant;
beforeAll(async () => {
  app = await startTestApp({ shared: true });
});
afterAll(() => app.close());
beforeEach(async () => {
  tenant = await makeTenant(app);
});

const make = (fields: object): Promise<Ticket> => makeTicket(tenant, fields);
const whole = (more: object = {}) => makeWholeTicket(tenant, more);
const read = (id: string) => tenant.must('GET', `/v1/tickets/${id}`);
const put = (id: string, event: string, token?: string) => tenant.http('PUT', `/v1/tickets/${id}/${event}`, undefined, token);

test('approving a ticket gives its load the quantity of the ticket', async () => {
  const { ticket, load, order } = await whole();
  expect(await read(ticket.id)).toMatchObject({ missing_info: false, state: 'pending', state_events: ['approve', 'void'] });
  expect((await put(ticket.id, 'approve')).body.data).toMatchObject({ state: 'approved', state_events: ['void'] });
  const [after] = await tenant.must('GET', tenant.path(`/orders/${order.id}/loads`));
  expect(after).toMatchObject({ id: load.id, quantity: '21.5' });
  expect((await put(ticket.id, 'approve')).status).toBe(409);
});

test.each([
  [['job_id'], { job: null, load: null }],
  [['quantity'], { quantity: null }],
  [['ticket_number'], { ticketNumber: null }],
  [['image'], { foreignImageUrl: null }],
  [['quantity', 'image'], { quantity: null, foreignImageUrl: null }],
])('a ticket without %j cannot be approved, and the answer names what is missing', async (missing, lacking) => {
  const { ticket } = await whole(lacking);
  expect(await read(ticket.id)).toMatchObject({ missing_info: true, state_events: ['void'] });
  const answer = await put(ticket.id, 'approve');
  const message = 'is missing, and needed before a ticket can be approved';
  expect([answer.status, answer.body.error.errors]).toEqual([
    409,
    missing.map((field) => ({ model: 'Ticket', field, message, state: 'pending', event: 'approve' })),
  ]);
  expect((await read(ticket.id)).state).toBe('pending');
});

test('nothing is delivered for canceled work: a ticket is neither created for it nor moved to it', async () => {
  const order = await makeOrder(tenant);
  const [job] = await tenant.must('GET', `/v1/orders/${order.id}/jobs`);
  const [load] = await tenant.must('GET', `/v1/jobs/${job.id}/loads`);
  await tenant.must('PUT', `/v1/jobs/${job.id}/cancel`);
  const body = { unit_of_measure: 'Ton', ticket_number: 'C-1' };
  for (const [more, field] of [
    [{ job_id: job.id }, 'job_id'],
    [{ job_id: job.id, load_id: load.id }, 'load_id'],
  ] as const) {
    const answer = await tenant.http('POST', '/v1/tickets', { ...body, ...more });
    expect([answer.status, fieldsOf(answer)]).toEqual([422, [field]]);
  }
  const ticket = await tenant.must('POST', '/v1/tickets', body);
  const moved = await tenant.http('PATCH', `/v1/tickets/${ticket.id}`, { load_id: load.id });
  expect([moved.status, fieldsOf(moved)]).toEqual([422, ['load_id']]);
});

test('a ticket that its review found twice cannot be approved', async () => {
  const { ticket, load } = await whole();
  await tenant.save(AiReview, { company: ref(tenant.company), load: ref(Load, load.id), status: 'duplicate' });
  expect((await read(ticket.id)).state_events).toEqual(['void']);
  const answer = await put(ticket.id, 'approve');
  const message = 'cannot be approved: the review of its load found it twice';
  expect([answer.status, answer.body.error.errors]).toEqual([
    409,
    [{ model: 'Ticket', field: 'state', message, state: 'pending', event: 'approve' }],
  ]);
});

test('a ticket shows what was read from its picture, and the confidence of its review', async () => {
  const { ticket, load } = await whole();
  const metadata = () => tenant.must('GET', `/v1/tickets/${ticket.id}/ai_metadata`);
  const nothing = { id: ticket.id, ai_extracted_full_text: null, ai_structured_data: null, ai_confidence_score: null };
  expect(await metadata()).toEqual(nothing);
  const reported = { ocrProcessed: true, ocrTicketNumber: 'T-9', ocrNetQuantityTon: new Decimal('21.5') };
  await app.orm.em.fork().nativeUpdate(Ticket, { id: ticket.id }, reported, { filters: { tenant: false } });
  await tenant.save(AiReview, { company: ref(tenant.company), load: ref(Load, load.id), status: 'approved', confidence: '0.93' });
  const read = { ticket_number: 'T-9', net_quantity_ton: '21.5', service_date: null };
  expect(await metadata()).toEqual({ ...nothing, ai_structured_data: read, ai_confidence_score: '93' });
  const stranger = await makeTenant(app);
  expect((await stranger.http('GET', `/v1/tickets/${ticket.id}/ai_metadata`)).status).toBe(404);
});

test('voiding frees the load and the number, and ends the ticket', async () => {
  const { ticket, load, order } = await whole();
  expect((await put(ticket.id, 'void')).body.data).toMatchObject({ state: 'voided', load_id: null, state_events: [] });
  const [after] = await tenant.must('GET', tenant.path(`/orders/${order.id}/loads`));
  expect(after.ticket).toBeNull();
  await make({ order: ticket.order, job: ticket.job, load: ref(Load, load.id), ticketNumber: ticket.ticketNumber });
  for (const event of ['void', 'approve']) expect((await put(ticket.id, event)).status).toBe(409);
});

test('voiding an approved ticket removes its quantity from the load, and keeps the reported one', async () => {
  const { ticket, load, order } = await whole();
  const path = `/v1/loads/${load.id}`;
  const said = ({ quantity, unit_of_measure }: Record<string, unknown>) => [quantity, unit_of_measure];
  const rowOf = (row: Record<string, unknown>) => [row.delivered, row.unit_of_measure, row.ticketed];
  const delivered = async () => {
    const { order_summary } = await tenant.must('GET', tenant.path(`/orders/${order.id}`));
    return order_summary.delivered_quantities.map(rowOf);
  };
  const ticketAgain = {
    ...{ order: ticket.order, job: ticket.job, load: ref(Load, load.id), state: 'pending' },
    ...{ quantity: '30', unitOfMeasure: 'Ton', foreignImageUrl: 'https://files.example/2.jpg' },
  };
  const next = (number: string) => make({ ...ticketAgain, ticketNumber: number });
  const pool = await poolOf(app.orm.em.fork());
  await pool.query(`update load set state = 'completed' where id = $1`, [load.id]);
  const before = said(await tenant.must('GET', path));
  await put(ticket.id, 'approve');
  expect(said(await tenant.must('GET', path))).toEqual(['21.5', 'Tonne']);
  expect(await delivered()).toEqual([['21.5', 'Tonne', true]]);
  await put(ticket.id, 'void');
  expect([said(await tenant.must('GET', path)), await delivered()]).toEqual([before, []]);
  // A report from before the approval comes back.
  await tenant.must('PATCH', path, { quantity: 19, unit_of_measure: 'Tonne' });
  const second = await next('again');
  await put(second.id, 'approve');
  await put(second.id, 'void');
  expect(await delivered()).toEqual([['19', 'Tonne', false]]);
  // And one from after it stays.
  const third = await next('third');
  await put(third.id, 'approve');
  await tenant.must('PATCH', path, { quantity: 18 });
  await put(third.id, 'void');
  expect(await delivered()).toEqual([['18', 'Ton', false]]);
});

test('A-I11: a number and a load have one active ticket', async () => {
  const { ticket, load } = await whole();
  await expect(make({ ticketNumber: ticket.ticketNumber })).rejects.toThrow(/ticket_number_key/);
  await expect(make({ order: ticket.order, job: ticket.job, load: ref(Load, load.id) })).rejects.toThrow(/ticket_active_load_key/);
});

test('A12: a ticket that is photographed twice is refused, at the same pit and at another, and the message names the first one', async () => {
  const { ticket } = await whole();
  const number = ticket.ticketNumber!;
  const pit = await tenant.must('POST', '/v1/sites', { name: 'Another pit' });
  const refused = async (method: string, path: string, body: object, of = tenant) => {
    const answer = await of.http(method, path, { ticket_number: number, unit_of_measure: 'Ton', ...body });
    return [answer.status, ...answer.body.error.errors.map(({ field, message }: Record<string, string>) => [field, message])];
  };
  const message = `is the number of another ticket, ${ticket.id}`;
  const named = [422, ['ticket_number', message]];
  expect(await refused('POST', '/v1/tickets', {})).toEqual(named);
  expect(await refused('POST', '/v1/tickets', { site_id: pit.id })).toEqual(named);
  const [other, approved] = [await tenant.must('POST', '/v1/tickets', { unit_of_measure: 'Ton' }), (await whole()).ticket];
  expect(await refused('PATCH', `/v1/tickets/${other.id}`, {})).toEqual(named);
  await put(approved.id, 'approve');
  const amend = 'mutation ($id: ID!, $input: AmendTicketInput!) { amendTicket(id: $id, input: $input) { id } }';
  const { errors } = await tenant.gql(amend, { id: approved.id, input: { ticketNumber: number, reason: 'Read again' } });
  expect(errors[0].extensions.errors[0].message).toBe(message);
  // Another company may have a ticket of the number, and a voided one frees it.
  const stranger = await makeTenant(app);
  expect((await stranger.http('POST', '/v1/tickets', { ticket_number: number, unit_of_measure: 'Ton' })).status).toBe(201);
  await put(ticket.id, 'void');
  expect((await tenant.http('POST', '/v1/tickets', { ticket_number: number, unit_of_measure: 'Ton' })).status).toBe(201);
});

test('events require edit_ticket, or being the driver of the job', async () => {
  const { ticket, job } = await whole();
  const foreman = await tenant.person({ roles: [] });
  expect((await put(ticket.id, 'void', foreman.token)).status).toBe(403);
  expect((await put(ticket.id, 'void', tenant.driver.token)).status).toBe(403);
  const pool = await poolOf(app.orm.em.fork());
  await pool.query('update job set driver_id = $2 where id = $1', [job.id, tenant.driver.id]);
  expect((await put(ticket.id, 'void', tenant.driver.token)).status).toBe(200);
});

test('a driver voids no own ticket that is approved: the office does', async () => {
  const { ticket, job } = await whole();
  const pool = await poolOf(app.orm.em.fork());
  await pool.query('update job set driver_id = $2 where id = $1', [job.id, tenant.driver.id]);
  await put(ticket.id, 'approve');
  const refused = await put(ticket.id, 'void', tenant.driver.token);
  expect([refused.status, refused.body.error.errors[0].field]).toEqual([403, 'edit_ticket']);
  const { errors } = await tenant.gql('mutation ($id: ID!) { voidTicket(id: $id) { id } }', { id: ticket.id }, tenant.driver.token);
  expect(errors[0].extensions.code).toBe('forbidden');
  expect((await read(ticket.id)).state).toBe('approved');
  expect((await put(ticket.id, 'void')).status).toBe(200);
});

test('another company neither sees a ticket nor moves it', async () => {
  const { ticket, order, job } = await whole();
  const stranger = await makeTenant(app);
  for (const path of [`/v1/tickets/${ticket.id}`, `/v1/orders/${order.id}/tickets`, `/v1/jobs/${job.id}/tickets`, tenant.path('/tickets')])
    expect([path, (await tenant.http('GET', path, undefined, stranger.token)).status]).toEqual([path, 404]);
  expect((await put(ticket.id, 'void', stranger.token)).status).toBe(404);
  expect(await stranger.must('GET', '/v1/tickets')).toEqual([]);
});

test('GraphQL reads and moves the same tickets', async () => {
  const { ticket } = await whole();
  const { data } = await tenant.gql('{ tickets(first: 5) { nodes { id state material { name } site { name } } } }');
  expect(data.tickets.nodes).toEqual([{ id: ticket.id, state: 'pending', material: null, site: null }]);
  const moved = await tenant.gql('mutation($id: ID!) { approveTicket(id: $id) { state loadId } }', { id: ticket.id });
  expect(moved.data.approveTicket.state).toBe('approved');
  const pool = await poolOf(app.orm.em.fork());
  const { rows } = await pool.query('select event, from_state, to_state from transition where subject_id = $1', [ticket.id]);
  expect(rows).toEqual([{ event: 'approve', from_state: 'pending', to_state: 'approved' }]);
});

test('the picture of a ticket is set, replaced and removed', async () => {
  const ticket = await tenant.must('POST', '/v1/tickets', { unit_of_measure: 'Ton' });
  const path = `/v1/tickets/${ticket.id}/image`;
  const sent = await sendForm(app, 'POST', path, [['image', jpeg(), 'ticket.jpg']], tenant.token);
  expect([sent.status, sent.body.error]).toEqual([201, undefined]);
  expect(unsigned(sent.body.data)).toMatchObject({ image_url: `${app.url}${path}/file`, image_mime_type: 'image/jpeg' });
  const shown = await fetch(sent.body.data.image_url, { headers: { Authorization: `Bearer ${tenant.token}` } });
  expect([shown.headers.get('content-type'), Buffer.from(await shown.arrayBuffer()).equals(jpeg())]).toEqual(['image/jpeg', true]);
  const wrong = await sendForm(app, 'POST', path, [['image', png(), 'ticket.jpg']], tenant.token);
  expect([wrong.status, wrong.body.error.errors[0].field]).toEqual([422, 'image']);
  expect((await sendForm(app, 'POST', path, [['image', jpeg(), 'again.jpg']], tenant.token)).status).toBe(201);
  const stranger = await makeTenant(app);
  expect((await sendForm(app, 'POST', path, [['image', jpeg(), 'theirs.jpg']], stranger.token)).status).toBe(404);
  expect((await stranger.http('GET', `${path}/file`)).status).toBe(404);
  expect((await tenant.http('DELETE', path)).status).toBe(204);
  expect((await tenant.http('GET', `${path}/file`)).status).toBe(404);
  expect((await tenant.http('DELETE', path)).status).toBe(404);
  expect(await tenant.must('GET', `/v1/tickets/${ticket.id}`)).toMatchObject({ image_url: null, image_mime_type: null });
});

test('the address of a picture follows the server to another host name; an external one stays as it is', async () => {
  const ticket = await tenant.must('POST', '/v1/tickets', { unit_of_measure: 'Ton' });
  const path = `/v1/tickets/${ticket.id}/image`;
  const elsewhere = await make({ foreignImageUrl: 'https://scale.example/9.jpg' });
  await sendForm(app, 'POST', path, [['image', jpeg(), 'ticket.jpg']], tenant.token);
  app.application.provide(publicUrl, 'https://moved.example');
  try {
    expect(unsigned((await read(ticket.id)).image_url)).toBe(`https://moved.example${path}/file`);
    expect((await read(elsewhere.id)).image_url).toBe('https://scale.example/9.jpg');
  } finally {
    app.application.provide(publicUrl, app.url);
  }
  expect((await sendForm(app, 'POST', `/v1/tickets/${elsewhere.id}/image`, [['image', jpeg(), 'own.jpg']], tenant.token)).status).toBe(201);
  expect((await tenant.http('DELETE', `/v1/tickets/${elsewhere.id}/image`)).status).toBe(204);
  expect(await read(elsewhere.id)).toMatchObject({ image_url: null, missing_info: true });
  const remove = 'mutation ($id: ID!) { removeTicketImage(id: $id) { id imageUrl } }';
  expect((await tenant.gql(remove, { id: ticket.id })).data.removeTicketImage).toEqual({ id: ticket.id, imageUrl: null });
});
