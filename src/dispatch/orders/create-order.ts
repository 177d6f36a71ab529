import { ref } from '@mikro-orm/core';
import type { Account } from '../../directory/accounts/account.entity.ts';
import { Company } from '../../directory/companies/company.entity.ts';
import { owningCompany } from '../../directory/companies/owning-company.ts';
import { User } from '../../directory/people/user.entity.ts';
import type { Site } from '../../directory/sites/site.entity.ts';
import { viewerOf } from '../../platform/authz/authorization.ts';
import { setTxOf } from '../../platform/commands/set-tx.ts';
import { type TxContext, transact } from '../../platform/commands/transact.ts';
import { defineUnique } from '../../platform/commands/unique.ts';
import type { Context } from '../../platform/context.ts';
import { type ErrorCollector, Invalid } from '../../platform/errors.ts';
import { mayAssignNew, mayCreateOrder } from '../access/order.policy.ts';
import { validateAssignee } from '../assignment/validate-assignee.ts';
import { collectUnitMismatches, unitsOfOrder } from '../checks/unit-mismatches.ts';
import { collectUnusable, type References } from '../fields/field-table.ts';
import { type NewParts, newContacts, newPhases, newStops } from '../fields/new-parts.ts';
import { CONTACTS, dispatchNumberNamed } from '../fields/order-parts.ts';
import { ORDER_FIELDS } from '../fields/work-fields.ts';
import { loadsPerTruckOf } from '../jobs/add-trucks.ts';
import { Order } from '../model/order.entity.ts';
import { orderMachine } from '../model/order.machine.ts';
import type { Project } from '../model/project.entity.ts';
import { inheritFromProject } from './inherit-project.ts';
import type { CreateOrderInput } from './order.inputs.ts';
import { expectArrivals } from './order-arrival.ts';
import { applyOrderFields, resolveOrderReferences } from './order-fields.ts';
import { sendTrucksOf, writeOrder } from './place-order.ts';

export const ordersExternalIdKey = defineUnique('orders_external_id_key', { model: 'Order', field: 'externalId', key: 'taken' });

/**
 * Creates an order with its jobs and loads (SPEC "Order", DOMAIN 1.1).
 * @param companyId of a company-scoped path
 * @param ignoreDocuments skips the check of compliance documents, for a trial that has reported them before
 * @throws Denied, Invalid with every wrong field at once
 */
export async function createOrder(
  ctx: Context,
  input: CreateOrderInput,
  companyId?: string | null,
  { ignoreDocuments = false } = {},
): Promise<Order> {
  mayCreateOrder(ctx);
  if ((input.driverId ?? input.vendorId ?? null) !== null) mayAssignNew(ctx);
  return transact(ctx, async (tx) => {
    const owner = owningCompany(tx, 'Order', input, companyId);
    if (input.externalId || input.dispatchNumber || input.projectId) await expectArrivals(setTxOf(tx), owner);
    const to: ErrorCollector = { model: 'Order', items: [] };
    const referred = await resolveOrderReferences(tx, input, owner, to);
    const { order, parts } = await draftOrder(tx, owner, input, referred, to);
    await validate(tx, order, input, ignoreDocuments, to);
    if (to.items.length > 0) throw new Invalid(to.items);
    if (input.dispatchNumber) order.dispatchNumber = ref(await dispatchNumberNamed(tx, owner, input.dispatchNumber.name));
    await writeOrder(tx, order, parts, { state: order.state });
    await sendTrucksOf(tx, order, [], true);
    return order;
  });
}

/** Returns the order that its input and its project describe, with its contacts, stops and phases. Nothing is written. */
async function draftOrder(
  tx: TxContext,
  owner: string,
  input: CreateOrderInput,
  referred: References,
  to: ErrorCollector,
): Promise<{ order: Order; parts: NewParts }> {
  const order = Object.assign(new Order(), {
    company: ref(Company, owner),
    state: initialState(input, to),
    loadAt: input.loadAt,
    truckCount: input.truckCount,
    truckDelay: input.truckDelay,
    unitOfMeasure: ORDER_FIELDS.unitOfMeasure.initial,
  });
  const project = referred.projectId as Project | null | undefined;
  const inherited = project ? await inheritFromProject(tx, order, project, input) : { contacts: [], phases: [] };
  applyOrderFields(order, input, referred, to);
  order.loadsPerTruck = loadsPerTruckOf(order);
  const account = await accountOf(referred, to);
  if (account) order.account = ref(account);
  if (input.waypoints.length === 0) to.items.push({ model: 'Order', field: 'waypoints', key: 'at_least_one' });
  const route = newStops(input.waypoints, referred.sites as (Site | undefined)[], to);
  order.routeId = route.routeId;
  const contacts = newContacts(order, CONTACTS, input, to);
  const given = input.phases ?? (input.phase ? [{ ...input.phase, primary: true }] : []);
  const phases = newPhases(given, to, input.phases ? 'phases' : 'phase');
  // The person who asks for work owns the request (DOMAIN 1.1), unless somebody else is named.
  const author = viewerOf(tx);
  if (input.requesterId === undefined && (author.type === 'User' || author.type === 'Impersonation') && author.companyId === owner)
    order.requester = ref(User, author.id);
  const { driver, vendor } = assigneeOf(referred, to);
  if (driver) order[driver.company.id === owner ? 'driver' : 'sharedDriver'] = ref(driver);
  if (vendor) order.vendor = ref(vendor);
  const parts = {
    contacts: [...inherited.contacts, ...contacts, ...route.contacts],
    stops: route.stops,
    phases: [...inherited.phases, ...phases],
  };
  return { order, parts };
}

/** Checks the driver or vendor who would get the work, and whether the units convert. */
async function validate(tx: TxContext, order: Order, input: CreateOrderInput, ignoreDocuments: boolean, to: ErrorCollector): Promise<void> {
  await validateAssignee(tx, order, { first: 1, count: input.truckCount, ignoreDocuments }, to.items);
  if (order.account) await collectUnitMismatches(tx, unitsOfOrder(order, pickupOf(input)), { model: 'Order', input }, to.items);
}

/** The first place where the order is loaded. */
const pickupOf = ({ waypoints }: CreateOrderInput): string | undefined =>
  waypoints.filter(({ type }) => type === 'pickup').toSorted((a, b) => a.ordinality - b.ordinality)[0]?.siteId;

function initialState(input: CreateOrderInput, to: ErrorCollector): Order['state'] {
  const state = input.state ?? 'created';
  if (!orderMachine.initial.includes(state)) {
    to.items.push({ model: 'Order', field: 'state', key: 'not_one_of', params: { values: orderMachine.initial.join(', ') } });
  }
  return state;
}

/** SPEC: if a project is named, the order's account is that of the project. */
async function accountOf(referred: Record<string, unknown>, to: ErrorCollector): Promise<Account | undefined> {
  const project = referred.projectId as Project | null | undefined;
  if (project) {
    const account = (await project.account.load())!;
    collectUnusable(account, 'projectId', to);
    return account;
  }
  const account = referred.account as Account | undefined;
  if (!account) return undefined;
  collectUnusable(account, 'accountId', to);
  if (!account.accountTypes.includes('customer')) to.items.push({ model: 'Order', field: 'accountId', key: 'not_a_customer' });
  return account;
}

/** SPEC: if a driver is named, the vendor is ignored. */
function assigneeOf(referred: Record<string, unknown>, to: ErrorCollector): { driver?: User; vendor?: Account } {
  const driver = referred.driver as User | undefined;
  if (driver) {
    collectUnusable(driver, 'driverId', to);
    if (!driver.roles.includes('driver')) to.items.push({ model: 'Order', field: 'driverId', key: 'not_a_driver' });
    return { driver };
  }
  const vendor = referred.vendor as Account | undefined;
  if (!vendor) return {};
  collectUnusable(vendor, 'vendorId', to);
  if (!vendor.accountTypes.includes('vendor')) to.items.push({ model: 'Order', field: 'vendorId', key: 'not_a_vendor' });
  return { vendor };
}
