import { ref } from '@mikro-orm/core';
import { Equipment } from '../../../src/directory/equipment/equipment.entity.ts';
import { EquipmentType } from '../../../src/directory/equipment/equipment-type.entity.ts';
import { type Biller, type Books, billerOf, hauled, rateCard } from '../../billing/books.ts';
import type { Dice } from '../../helpers/properties.ts';
import { drive, makeStaffedTenant, readyJob, type StaffedTenant, shortHaul } from '../../helpers/staffed-tenant.ts';
import { CHICAGO } from '../bi-logins.ts';
import { compareLoads } from './places.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

const CREATE_RATE = 'mutation($input: CreateRateInput!) { createRate(input: $input) { id } }';
const DENSITY = 'mutation($id: ID!) { updateMaterial(id: $id, input: { density: "1.6" }) { density } }';
const TRUCK = 'TRK-1';

/** The terms of work that are hard in different ways. */
async function termsOf(at: StaffedTenant): Promise<object[]> {
  const minimum = await rateCard(at, 'customer', { type: 'RatePerTon', unit_rate: 4.2575, unit_minimum: 15, unit_increment: 0.5 });
  const byTheTon = {
    name: 'Bands',
    ownerType: 'customer',
    type: 'RatePerTon',
    unitRate: '6',
    unitMinimum: '0',
    unitIncrement: '0',
    tierMode: 'slab',
  };
  const input = { ...byTheTon, tiers: [{ from: '30', rate: '5.25' }] };
  const bands = (await at.gql(CREATE_RATE, { input }, await at.administrator())).data.createRate;
  const material = { material_rate_sell_price: 12.5, material_rate_buy_price: 9.8, material_rate_unit_of_measure: 'Ton' };
  const tax = { tax_rate: 8.2575, tax_freight: true, tax_material: true, tax_add_ons: true };
  const driver = (value: number, type: string) => ({ driver_rate_value: value, driver_rate_type: type });
  const customer = (value: number, type: string) => ({ customer_rate_value: value, customer_rate_type: type });
  return [
    { customer_rate_id: minimum.id, ...driver(33, 'RateCommission'), ...material, material_rate_itemized: true, ...tax },
    { customer_rate_id: bands.id, ...driver(2.3333, 'RatePerTonne') },
    { ...customer(185, 'RatePerLoad'), ...driver(60, 'RatePerLoad'), unit_of_measure: 'Load', load_unit_of_measure: 'Load' },
    { ...customer(9.75, 'RatePerYard'), ...driver(1.5, 'RatePerTon'), ...material, ...tax },
    { ...customer(110, 'RatePerHour'), ...driver(32, 'RatePerHour') },
    { ...customer(650, 'RateFlatRate'), ...driver(2, 'RateFlatCommission'), ...tax },
  ];
}

interface Scene {
  own: Books;
  at: StaffedTenant;
  admin: Biller;
  jobs: Json[];
}

/** A company with finished work at all of these terms. */
export async function makeScene(books: Books): Promise<Scene> {
  const at = await makeStaffedTenant(books.app, CHICAGO);
  const company = ref(at.company);
  const equipmentType = ref(await at.save(EquipmentType, { company, name: 'Dump truck' }));
  const truck = await at.save(Equipment, { company, equipmentType, name: 'Truck 1', externalId: TRUCK });
  await at.gql(DENSITY, { id: at.material.id }, await at.administrator());
  const wash = { name: 'Wash', add_on_types: ['invoicing'], revenue_rate_value: 25.005, taxable: true };
  const fee = { name: 'Fee', add_on_types: ['invoicing', 'driver_pay'], revenue_cost_rate_type: 'RatePercentOfTotal', percentage: -7.5 };
  const charges = [await at.must('POST', '/v1/add_ons', wash), await at.must('POST', '/v1/add_ons', fee)];
  const own: Books = { app: books.app, tenant: at, biller: await billerOf(at) };
  const jobs: Json[] = [];
  for (const [i, terms] of (await termsOf(at)).entries()) {
    const tons = i % 2 === 0 ? ['21.4', null, '24.06'] : ['9.1325', '25', null];
    const job = i === 3 ? await openShift(own, terms) : await hauled(own, tons, { at, order: terms });
    await at.must('PATCH', `/v1/jobs/${job.id}`, { equipment_id: truck.id });
    // A load that is paid for as such, and that somebody reported as half of one.
    if (i === 2) await at.must('PATCH', `/v1/loads/${job.loads[1].id}`, { quantity: 0.5, unit_of_measure: 'Load' });
    for (const { id } of charges.slice(0, i % 3))
      await at.must('POST', `/v1/jobs/${job.id}/add_on_charges`, { add_on_id: id, quantity: 1 });
    jobs.push({ ...job, ticketed: [] });
  }
  return { own, at, admin: { ...at.admin, path: at.path } as Biller, jobs };
}

/** A job whose driver goes off duty with a load ahead. */
async function openShift({ tenant }: Books, terms: object): Promise<Json> {
  const at = tenant;
  const job = await readyJob(at, { loads_per_truck: 3, ...terms });
  await at.driver.must('PUT', '/v1/users/me/driver_state/on_duty', {});
  await drive(at.driver, job.id, ...shortHaul(2).slice(0, -1), 'complete_load');
  await at.driver.must('PUT', '/v1/users/me/driver_state/off_duty', {});
  return { ...job, loads: await at.must('GET', `/v1/jobs/${job.id}/loads`) };
}

type Sent = { status: number; body: Json };
/** Does something, which may be refused. */
type Step = (scene: Scene, dice: Dice) => Promise<Sent | undefined>;

let numbers = 0;
const QUANTITIES = ['0', '5', '12.3456', '21.4', '23.205', '40'] as const;
const UNITS = ['Ton', 'Ton', 'Ton', 'Tonne', 'Yard', 'Load'] as const;
const by = ({ admin }: Scene, method: string, path: string, body?: object): Promise<Sent> => admin.http(method, path, body);
const pick = async ({ admin }: Scene, { of }: Dice, path: string): Promise<Json | undefined> => {
  const { body } = await admin.http('GET', path);
  return body.data?.length > 0 ? of(body.data) : undefined;
};
const ticketOf = (scene: Scene, dice: Dice) => pick(scene, dice, `/v1/jobs/${dice.of(scene.jobs).id}/tickets`);
const invoiceOf = (scene: Scene, dice: Dice) => pick(scene, dice, scene.at.path(`/invoices?page[limit]=100`));
const settlementOf = (scene: Scene, dice: Dice) =>
  pick(scene, dice, scene.at.path(`/settlements/${dice.of(['receivables', 'payables'])}?page[limit]=100`));
const loadOf = ({ jobs }: Scene, { of }: Dice): Json => of(of(jobs).loads);
/** Half of all that a correction is refused without is done with a supplement. */
const maybe = ({ chance }: Dice) => (chance(0.5) ? { supplement: true } : {});

const onInvoice =
  (method: string, rest: string, body: (dice: Dice, invoice: Json) => object = () => ({})): Step =>
  async (scene, dice) => {
    const invoice = await invoiceOf(scene, dice);
    return invoice && by(scene, method, scene.at.path(`/invoices/${invoice.id}${rest}`), body(dice, invoice));
  };
const onSettlement =
  (method: string, rest: string, body: (dice: Dice) => object = () => ({})): Step =>
  async (scene, dice) => {
    const settlement = await settlementOf(scene, dice);
    return settlement && by(scene, method, scene.at.path(`/settlements/${settlement.id}${rest}`), body(dice));
  };
const onTicket =
  (method: string, rest: string, body: (dice: Dice, scene: Scene) => object): Step =>
  async (scene, dice) => {
    const ticket = await ticketOf(scene, dice);
    return ticket && by(scene, method, `/v1/tickets/${ticket.id}${rest}`, body(dice, scene));
  };
const onLine =
  (change: (dice: Dice) => object): Step =>
  async (scene, dice) => {
    const invoice = await invoiceOf(scene, dice);
    if (!invoice) return undefined;
    const path = scene.at.path(`/invoices/${invoice.id}/invoice_line_items`);
    const line = await pick(scene, dice, path);
    return (
      line &&
      by(scene, 'PATCH', path, { rate_type: invoice.rate_type ?? 'RatePerTon', invoice_line_items: [{ id: line.id, ...change(dice) }] })
    );
  };

const settle: Step = async (scene, dice) => {
  const { own, admin, at } = scene;
  const approved: Json[] = (await admin.must('GET', at.path('/invoices?filter[states][]=approved&page[limit]=100'))).filter(
    ({ settlement }: Json) => !settlement,
  );
  if (approved.length === 0) return undefined;
  const first = dice.of(approved);
  const together = approved.filter((one) => Boolean(one.customer_account) === Boolean(first.customer_account) && dice.chance(0.7));
  const sent = await by(scene, 'POST', at.path('/settlements'), { invoice_ids: [first, ...together].map(({ id }) => id) });
  if (sent.status === 201) await compareLoads(own, admin, sent.body.data);
  return sent;
};

const rebill: Step = async (scene, dice) => {
  const settlement = await settlementOf(scene, dice);
  if (!settlement) return undefined;
  const path = scene.at.path(`/settlements/${settlement.id}`);
  await by(scene, 'PUT', `${path}/void`, {});
  const made = await by(scene, 'POST', `${path}/rebill`, {});
  if (made.status !== 201) return made;
  const invoices: Json[] = await scene.admin.must('GET', scene.at.path(`/settlements/${made.body.data.id}/invoices`));
  const data = invoices.map(({ id }) => ({ invoice_id: id, rebill_rate_value: dice.chance(0.3) ? null : dice.of([3.3333, 4.5, 20]) }));
  return by(scene, 'PATCH', `/v1/settlements/${made.body.data.id}/invoices/rebill_rates`, {
    data: data.slice(0, 1 + dice.below(data.length)),
  });
};

/** Tickets of the scale, of which some are sent again, as they were or with another weight. */
const ingest: Step = async (scene, dice) => {
  const job = dice.of(scene.jobs);
  const again = job.ticketed.length > 0 && dice.chance(0.4);
  const ticket = again
    ? { ...dice.of<Json>(job.ticketed), ...(dice.chance(0.5) ? { quantity: Number(dice.of(QUANTITIES)) } : {}) }
    : {
        ...{ ticket_number: `I-${++numbers}`, service_date: '2026-11-23T09:30:00', quantity: Number(dice.of(QUANTITIES)) },
        ...{ unit_of_measure: dice.of(['tons', 'tonnes', 'yd3']), truck_id: TRUCK, platform_order_id: job.order.order_id },
      };
  job.ticketed.push(ticket);
  const sent = await scene.at.http('POST', '/ingest/tickets', { tickets: [ticket] });
  if (dice.chance(0.5)) await scene.own.app.settled();
  return sent;
};

/** Two people do the same thing, or the opposite, at once: one of both is refused, or both are done. */
const together: Step = async (scene, dice) => {
  const invoice = await invoiceOf(scene, dice);
  if (!invoice) return undefined;
  const put = (event: string) => by(scene, 'PUT', scene.at.path(`/invoices/${invoice.id}/${event}`), {});
  const load = loadOf(scene, dice);
  const ticket = { load_id: load.id, ticket_number: `R-${++numbers}`, quantity: dice.of(QUANTITIES), unit_of_measure: 'Ton' };
  const all = await Promise.all([
    put('approve'),
    put(dice.of(['approve', 'unapprove', 'void'])),
    by(scene, 'POST', '/v1/tickets', ticket),
    by(scene, 'POST', scene.at.path('/settlements'), { invoice_ids: [invoice.id] }),
  ]);
  return all.find(({ status }) => status >= 500) ?? all[0];
};

const ticketInput = ({ of }: Dice) => ({ quantity: of(QUANTITIES), unit_of_measure: of(UNITS) });
/** What people and programs do, by what it is called. */
export const STEPS: Readonly<Record<string, Step>> = {
  'make a ticket': (scene, dice) =>
    by(scene, 'POST', '/v1/tickets', { load_id: loadOf(scene, dice).id, ticket_number: `N-${++numbers}`, ...ticketInput(dice) }),
  'change a ticket': onTicket('PATCH', '', (dice) => ({ ...ticketInput(dice), ...maybe(dice) })),
  'move a ticket': onTicket('PATCH', '', (dice, scene) => ({ load_id: dice.chance(0.3) ? null : loadOf(scene, dice).id, ...maybe(dice) })),
  'void a ticket': onTicket('PUT', '/void', maybe),
  'delete a ticket': onTicket('DELETE', '', () => ({})),
  'report a load': (scene, dice) => by(scene, 'PATCH', `/v1/loads/${loadOf(scene, dice).id}`, ticketInput(dice)),
  'complete a load': (scene, dice) => by(scene, 'PUT', scene.at.path(`/loads/${loadOf(scene, dice).id}/complete`), {}),
  'approve loads': async (scene, dice) => {
    let last: Sent | undefined;
    for (const { id } of dice.of(scene.jobs).loads) last = await by(scene, 'PUT', scene.at.path(`/loads/${id}/approve`), {});
    return last;
  },
  'approve a job': (scene, dice) => by(scene, 'PUT', scene.at.path(`/jobs/${dice.of(scene.jobs).id}/approve`), {}),
  'take back the approval of a load': (scene, dice) => by(scene, 'PUT', scene.at.path(`/loads/${loadOf(scene, dice).id}/unapprove`), {}),
  'set hours': (scene, dice) =>
    by(scene, 'PATCH', `/v1/jobs/${dice.of(scene.jobs).id}`, { billable_hours: dice.of([0, 4.25, 7.3333]), ...maybe(dice) }),
  'change the tax': (scene, dice) =>
    by(scene, 'PATCH', `/v1/orders/${dice.of(scene.jobs).order.id}`, { tax_rate: dice.of([null, 0, 8.25, 10]) }),
  'approve invoices': async (scene) => {
    const found: Json[] = await scene.admin.must('GET', scene.at.path('/billing/approvable_invoices?page[limit]=100'));
    let last: Sent | undefined;
    for (const { id } of found) last = await by(scene, 'PUT', scene.at.path(`/invoices/${id}/approve`), {});
    return last;
  },
  'take back the approval of an invoice': onInvoice('PUT', '/unapprove'),
  'void an invoice': onInvoice('PUT', '/void'),
  'pay an invoice': onInvoice('PUT', '/pay'),
  'set the rate of an invoice': onInvoice('PATCH', '', ({ of, chance }) =>
    chance(0.3)
      ? { rate_id: null, rate_value: null }
      : { rate_value: of([3, 4.4444]), rate_type: of(['RatePerTon', 'RatePerLoad', 'RatePerHour']) },
  ),
  'supplement an invoice': onInvoice('POST', '/supplements', ({ of, chance }) =>
    chance(0.5) ? {} : { rate_value: of([3.5, 5]), rate_type: 'RatePerTon' },
  ),
  'charge an invoice': onInvoice('POST', '/add_on_charges', ({ of }) => ({
    name: 'Toll',
    quantity: of([1, 3]),
    revenue_rate_value: of([2.335, -1]),
  })),
  'split an invoice': async (scene, dice) => {
    const invoice = await invoiceOf(scene, dice);
    const job = invoice && scene.jobs.find(({ id }) => id === invoice.invoiceable?.id);
    return job && by(scene, 'POST', scene.at.path(`/invoices/${invoice.id}/split`), { load_ids: [dice.of<Json>(job.loads).id] });
  },
  'change a line': onLine(({ of, chance }) => ({ quantity: of([7, 12.5]), ...(chance(0.5) ? { only_this_side: true } : {}) })),
  'set the rate of a line': onLine(({ of }) => ({ rate: of([1, 5.5555]) })),
  'remove a line': onLine(() => ({ _destroy: 1 })),
  settle,
  'approve a settlement': onSettlement('PUT', '/approve'),
  'take back the approval of a settlement': onSettlement('PUT', '/unapprove'),
  'pay a settlement': onSettlement('PUT', '/pay'),
  'take back a payment': onSettlement('PUT', '/undo_pay'),
  'void a settlement': onSettlement('PUT', '/void', () => ({ void_reason: 'wrong' })),
  'charge a settlement': onSettlement('POST', '/add_on_charges', ({ chance }) =>
    chance(0.5)
      ? { name: 'Discount', revenue_cost_rate_type: 'RatePercentOfTotal', percentage: -2 }
      : { name: 'Fee', quantity: 3, revenue_rate_value: 7.335 },
  ),
  'bill anew': rebill,
  'import tickets': ingest,
  'at once': together,
};
export const NAMES = Object.keys(STEPS);
/** What happens more often than the rest: without tickets, approvals and settlements there is nothing to correct. */
export const OFTEN = [
  'make a ticket',
  'approve loads',
  'approve invoices',
  'approve invoices',
  'settle',
  'settle',
  'import tickets',
  'change a ticket',
];
