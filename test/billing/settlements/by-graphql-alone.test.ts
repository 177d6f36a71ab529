import { expect, test } from '@jest/globals';
import { makeChain, makeStaffedTenant, type StaffedTenant } from '../../helpers/staffed-tenant.ts';
import { orderInput, type Person } from '../../helpers/tenant.ts';
import { camel, wired } from '../../helpers/walk/names.ts';
import { M10, makeBooks } from '../books.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;
type By = Pick<Person, 'gql'>;

const books = makeBooks();

/** Asks for one field. @returns what it answers */
async function ask(by: By, query: string, variables: Record<string, unknown> = {}): Promise<Json> {
  const { data, errors } = await by.gql(query, variables);
  expect([query, errors]).toEqual([query, undefined]);
  return Object.values(data)[0];
}
/** Calls a mutation that takes an id, and an input if it has one. */
const does = (by: By, name: string, id: string, input?: [type: string, value: object], answers = 'id'): Promise<Json> =>
  input
    ? ask(by, `mutation($id: ID!, $input: ${input[0]}!) { ${name}(id: $id, input: $input) { ${answers} } }`, { id, input: input[1] })
    : ask(by, `mutation($id: ID!) { ${name}(id: $id) { ${answers} } }`, { id });
const creates = (by: By, name: string, type: string, input: object, answers = 'id'): Promise<Json> =>
  ask(by, `mutation($input: ${type}!) { ${name}(input: $input) { ${answers} } }`, { input });

/** An accepted order of one job, at 4.25 for a ton with 22 tons at least. */
async function ordered(own: StaffedTenant, more: object, loads = M10.length): Promise<string> {
  const card = { name: 'By the ton', ownerType: 'customer', type: 'RatePerTon', unitRate: '4.25', unitMinimum: '22', unitIncrement: '0' };
  const { id: customerRateId } = await creates(own, 'createRate', 'CreateRateInput', card);
  const input = {
    ...(wired(orderInput(own), camel) as object),
    loadsPerTruck: loads,
    materialId: own.material.id,
    customerRateId,
    ...more,
  };
  const { id, jobs } = await creates(own, 'createOrder', 'CreateOrderInput', input, 'id jobs { nodes { id } }');
  await does(own, 'acceptOrder', id);
  return jobs.nodes[0].id;
}

const LOAD = ['enrouteJob', 'arriveJob', 'loadJobMaterial', 'enrouteJob', 'arriveJob', 'unloadJobMaterial', 'completeJobLoad'];
const LOADS = 'query($job: ID!) { loads(jobId: $job, first: 50) { nodes { id ordinality } } }';

/** Drives the loads of a job. @returns their ids, in their order */
async function hauls(owner: By, driver: By, job: string, loads: number): Promise<string[]> {
  for (const step of ['acceptJob', ...Array.from({ length: loads }, () => LOAD).flat(), 'completeJob']) await does(driver, step, job);
  const { nodes } = await ask(owner, LOADS, { job });
  return nodes.toSorted((a: Json, b: Json) => a.ordinality - b.ordinality).map(({ id }: Json) => id);
}
let tickets = 0;
const weighs = (by: By, loadId: string, quantity: string): Promise<Json> =>
  creates(by, 'createTicket', 'CreateTicketInput', { loadId, quantity, ticketNumber: `G-${++tickets}`, unitOfMeasure: 'Ton' });
const approvesLoads = async (by: By, loads: readonly string[]): Promise<void> => {
  for (const id of loads) await does(by, 'approveLoad', id);
};

const SAID = 'id state totalAmount blockers invoiceLineItems { totalAmount } parentInvoice { id } reason';
async function invoiceOf(by: By, job: string, side: 'Receivable' | 'Payable'): Promise<Json> {
  await books.app.settled();
  return ask(by, `query($id: ID!) { job${side}(id: $id) { ${SAID} } }`, { id: job });
}
async function approved(by: By, job: string, side: 'Receivable' | 'Payable'): Promise<Json> {
  const { id } = await invoiceOf(by, job, side);
  return does(by, 'approveInvoice', id, undefined, SAID);
}
const settled = (by: By, invoiceIds: readonly string[]): Promise<Json> =>
  creates(by, 'createSettlement', 'CreateSettlementInput', { invoiceIds }, 'id state totalAmount');
const amounts = ({ invoiceLineItems }: Json): string[] => invoiceLineItems.map(({ totalAmount }: Json) => totalAmount).toSorted();
const cents = (text: string): number => Math.round(Number(text) * 100);

test('B8: a chain of three is hauled, billed, settled, sent and paid by GraphQL alone, and its margins are what the customer pays', async () => {
  const { owner, middle, last, hired, subHired } = await makeChain(books.app);
  const biller = (of: StaffedTenant): Promise<Person> => of.person({ roles: ['biller'] });
  const [ofOwner, ofMiddle, ofLast] = [await biller(owner), await biller(middle), await biller(last)];
  const accounts = await ask(middle, 'query { accounts(first: 50) { nodes { id connectedCompany { id } } } }');
  const customer = accounts.nodes.find((one: Json) => one.connectedCompany?.id === owner.company.id);
  const fee = { name: 'Fee', accountType: 'customer', addOnTypes: ['invoicing'], quantity: '1', addOnRateType: 'RatePercentOfTotal' };
  await ask(
    middle,
    'mutation($id: ID!, $input: CreateAutoAddOnAssignmentInput!) { createAccountAutoAddOnAssignment(accountId: $id, input: $input) { id } }',
    { id: customer.id, input: { ...fee, percentage: '-8' } },
  );

  const job = await ordered(owner, { vendorRateValue: '3.6', vendorRateType: 'RatePerTon' });
  await does(owner, 'assignVendorToJob', job, ['AssignVendorInput', { vendorId: hired.id }]);
  await does(middle, 'assignVendorToJob', job, ['AssignVendorInput', { vendorId: subHired.id }]);
  const { jobAssignments } = await ask(middle, 'query($id: ID!) { job(id: $id) { jobAssignments { id vendorAccount { id } } } }', {
    id: job,
  });
  const link = jobAssignments.find((one: Json) => one.vendorAccount?.id === subHired.id);
  await does(middle, 'updateJobAssignment', link.id, ['UpdateJobAssignmentInput', { rateValue: '3.3', rateType: 'RatePerTon' }]);
  const driver = await last.person({ roles: ['driver'] });
  await does(last.dispatcher, 'updateJob', job, ['UpdateJobInput', { driverId: driver.user.id }]);
  await does(last.dispatcher, 'sendJob', job);
  const loads = await hauls(owner, driver, job, M10.length);
  for (const [i, id] of loads.entries()) await weighs(owner, id, M10[i]!);
  for (const by of [ofOwner, ofMiddle, ofLast]) await approvesLoads(by, loads);
  const pay = await invoiceOf(ofLast, job, 'Payable');
  await does(ofLast, 'updateInvoice', pay.id, ['UpdateInvoiceInput', { rateValue: '30', rateType: 'RateCommission' }]);

  const bill = await approved(ofOwner, job, 'Receivable');
  const billOfMiddle = await approved(ofMiddle, job, 'Receivable');
  const owedByMiddle = await approved(ofMiddle, job, 'Payable');
  const billOfLast = await approved(ofLast, job, 'Receivable');
  const paid = await approved(ofLast, job, 'Payable');
  expect(amounts(bill)).toEqual(['102.26', '93.5', '98.64']);
  expect(amounts(billOfMiddle)).toEqual(['77.04', '83.56', '86.62']);
  expect(amounts(paid)).toEqual(['21.19', '22.98', '23.82']);
  expect([bill, billOfMiddle, owedByMiddle, billOfLast, paid].map(({ totalAmount }) => totalAmount)).toEqual([
    ...['294.4', '227.44', '226.61', '226.61', '67.99'],
  ]);
  const kept = [29_440 - cents(billOfMiddle.totalAmount), 22_744 - cents(owedByMiddle.totalAmount), 22_661 - cents(paid.totalAmount)];
  expect(kept).toEqual([6_696, 83, 15_862]);

  const { id } = await settled(ofMiddle, [billOfMiddle.id]);
  for (const name of ['approveSettlement', 'sendSettlement']) await does(ofMiddle, name, id);
  const received = await ask(ofOwner, 'query { settlements(side: payable, filter: { received: true }) { nodes { id totalAmount } } }');
  expect(received.nodes).toEqual([{ id, totalAmount: '227.44' }]);
  expect((await does(ofOwner, 'customerApproveSettlement', id, undefined, 'state')).state).toBe('customer_approved');
  expect((await does(ofMiddle, 'paySettlement', id, undefined, 'state')).state).toBe('paid');
  // Nobody reads the books of the others.
  for (const [by, one] of [
    [ofMiddle, bill],
    [ofOwner, owedByMiddle],
    [ofOwner, paid],
    [ofLast, billOfMiddle],
  ] as const) {
    const { data, errors } = await by.gql('query($id: ID!) { invoice(id: $id) { totalAmount } }', { id: one.id });
    expect([data?.invoice ?? null, errors[0].extensions.code]).toEqual([null, 'object_not_found']);
  }
});

test('a late ticket, a rebill and the pay of a driver go by GraphQL alone', async () => {
  const own = await makeStaffedTenant(books.app);
  const [biller, driver] = [await own.person({ roles: ['biller'] }), await own.person({ roles: ['driver'] })];
  const job = await ordered(own, { driverRateValue: '30', driverRateType: 'RateCommission' }, 2);
  await does(own.dispatcher, 'updateJob', job, ['UpdateJobInput', { driverId: driver.user.id }]);
  await does(own.dispatcher, 'sendJob', job);
  const loads = await hauls(own, driver, job, 2);
  await weighs(own, loads[0]!, '23.21');
  await does(own.admin, 'updateLoad', loads[1]!, ['UpdateLoadInput', { quantity: '20', unitOfMeasure: 'Ton' }]);
  await approvesLoads(biller, loads);
  // The second load is paid for 22 tons, at least.
  const bill = await approved(biller, job, 'Receivable');
  expect([bill.totalAmount, amounts(bill)]).toEqual(['192.14', ['93.5', '98.64']]);
  const first = await settled(biller, [bill.id]);
  await does(biller, 'approveSettlement', first.id);

  // Billed anew at 4.50.
  await does(biller, 'voidSettlement', first.id);
  const second = await does(biller, 'rebillSettlement', first.id);
  const RATES = `mutation($id: ID!, $data: [RebillRateInput!]!) { setRebillRates(id: $id, data: $data) {
    rebillTotalAmount differenceTotalAmount originalSettlement { id } } }`;
  expect(await ask(biller, RATES, { id: second.id, data: [{ invoiceId: bill.id, rebillRateValue: '4.5' }] })).toEqual({
    ...{ rebillTotalAmount: '203.45', differenceTotalAmount: '11.31', originalSettlement: { id: first.id } },
  });
  expect((await does(biller, 'approveSettlement', second.id, undefined, 'state')).state).toBe('approved');

  // The ticket of the second load comes when it is settled.
  await weighs(own, loads[1]!, '22.8');
  await books.app.settled();
  const { nodes } = await ask(biller, `query { invoices(filter: { invoiceCategory: receivables }) { nodes { ${SAID} } } }`);
  const late = nodes.filter(({ parentInvoice }: Json) => parentInvoice?.id === bill.id);
  expect(late).toMatchObject([{ reason: 'late_ticket', state: 'pending', totalAmount: '3.6' }]);

  // The driver reads what he is paid, and nothing of what the customer pays.
  const pay = await approved(biller, job, 'Payable');
  const { id: paySettlement } = await settled(biller, [pay.id]);
  await does(biller, 'approveSettlement', paySettlement);
  const mine = await ask(driver, 'query { settlements { nodes { id totalAmount } } }');
  expect(mine.nodes).toEqual([{ id: paySettlement, totalAmount: pay.totalAmount }]);
  for (const [query, id] of [
    ['query($id: ID!) { settlement(id: $id) { totalAmount } }', second.id],
    ['query($id: ID!) { invoice(id: $id) { totalAmount } }', bill.id],
  ] as const) {
    const { data, errors } = await driver.gql(query, { id });
    expect([Object.values(data ?? {})[0] ?? null, errors[0].extensions.code]).toEqual([null, 'object_not_found']);
  }
  const { customerRateValue, driverRateValue } = await ask(
    driver,
    'query($id: ID!) { job(id: $id) { customerRateValue driverRateValue } }',
    {
      id: job,
    },
  );
  expect([customerRateValue, driverRateValue]).toEqual([null, '30']);
});
