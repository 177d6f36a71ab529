import { expect } from '@jest/globals';
import type { StaffedTenant } from '../../helpers/staffed-tenant.ts';
import { orderInput, type Person } from '../../helpers/tenant.ts';
import { camel, wired } from '../../helpers/walk/names.ts';
import { M10, makeBooks } from '../books.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;
export type By = Pick<Person, 'gql'>;

export const books = makeBooks();

/** Asks for one field. @returns what it answers */
export async function ask(by: By, query: string, variables: Record<string, unknown> = {}): Promise<Json> {
  const { data, errors } = await by.gql(query, variables);
  expect([query, errors]).toEqual([query, undefined]);
  return Object.values(data)[0];
}
/** Calls a mutation that takes an id, and an input if it has one. */
export const does = (by: By, name: string, id: string, input?: [type: string, value: object], answers = 'id'): Promise<Json> =>
  input
    ? ask(by, `mutation($id: ID!, $input: ${input[0]}!) { ${name}(id: $id, input: $input) { ${answers} } }`, { id, input: input[1] })
    : ask(by, `mutation($id: ID!) { ${name}(id: $id) { ${answers} } }`, { id });
export const creates = (by: By, name: string, type: string, input: object, answers = 'id'): Promise<Json> =>
  ask(by, `mutation($input: ${type}!) { ${name}(input: $input) { ${answers} } }`, { input });

/** An accepted order of one job, at 4.25 for a ton with 22 tons at least. */
export async function ordered(own: StaffedTenant, more: object, loads = M10.length): Promise<string> {
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
export async function hauls(owner: By, driver: By, job: string, loads: number): Promise<string[]> {
  for (const step of ['acceptJob', ...Array.from({ length: loads }, () => LOAD).flat(), 'completeJob']) await does(driver, step, job);
  const { nodes } = await ask(owner, LOADS, { job });
  return nodes.toSorted((a: Json, b: Json) => a.ordinality - b.ordinality).map(({ id }: Json) => id);
}
let tickets = 0;
export const weighs = (by: By, loadId: string, quantity: string): Promise<Json> =>
  creates(by, 'createTicket', 'CreateTicketInput', { loadId, quantity, ticketNumber: `G-${++tickets}`, unitOfMeasure: 'Ton' });
export const approvesLoads = async (by: By, loads: readonly string[]): Promise<void> => {
  for (const id of loads) await does(by, 'approveLoad', id);
};

export const SAID = 'id state totalAmount blockers invoiceLineItems { totalAmount } parentInvoice { id } reason';
export async function invoiceOf(by: By, job: string, side: 'Receivable' | 'Payable'): Promise<Json> {
  await books.app.settled();
  return ask(by, `query($id: ID!) { job${side}(id: $id) { ${SAID} } }`, { id: job });
}
export async function approved(by: By, job: string, side: 'Receivable' | 'Payable'): Promise<Json> {
  const { id } = await invoiceOf(by, job, side);
  return does(by, 'approveInvoice', id, undefined, SAID);
}
export const settled = (by: By, invoiceIds: readonly string[]): Promise<Json> =>
  creates(by, 'createSettlement', 'CreateSettlementInput', { invoiceIds }, 'id state totalAmount');
export const amounts = ({ invoiceLineItems }: Json): string[] => invoiceLineItems.map(({ totalAmount }: Json) => totalAmount).toSorted();
export const wholeCents = (text: string): number => Math.round(Number(text) * 100);
