import { ref } from '@mikro-orm/core';
import type { Account } from '../../directory/accounts/account.entity.ts';
import { Company } from '../../directory/companies/company.entity.ts';
import { owningCompany } from '../../directory/companies/owning-company.ts';
import { User } from '../../directory/people/user.entity.ts';
import type { Site } from '../../directory/sites/site.entity.ts';
import { viewerOf } from '../../platform/authz/authorization.ts';
import { setTxOf } from '../../platform/commands/set-tx.ts';
import { emitEvent, transact } from '../../platform/commands/transact.ts';
import { defineUnique } from '../../platform/commands/unique.ts';
import type { Context } from '../../platform/context.ts';
import { type ErrorCollector, type ErrorItem, Invalid } from '../../platform/errors.ts';
import { mayAssignNew, mayCreateOrder } from '../access/order.policy.ts';
import { giveToLent } from '../assignment/copy-crew.ts';
import { validateAssignee } from '../assignment/validate-assignee.ts';
import { collectUnitMismatches, unitsOfOrder } from '../conflicts/unit-mismatches.ts';
import { collectUnusable } from '../fields/field-table.ts';
import { nextNumbers } from '../fields/numbers.ts';
import { dispatchNumberNamed, makeRoute, syncContacts } from '../fields/order-parts.ts';
import { ORDER_FIELDS } from '../fields/work-fields.ts';
import { loadsPerTruckOf } from '../jobs/add-trucks.ts';
import { addTrucksTo } from '../jobs/order-work.ts';
import { Order } from '../model/order.entity.ts';
import { orderMachine } from '../model/order.machine.ts';
import type { Project } from '../model/project.entity.ts';
import { inheritFromProject } from './inherit-project.ts';
import type { CreateOrderInput } from './order.inputs.ts';
import { attachWaiting, expectFiles } from './order-arrival.ts';
import { applyOrderFields, resolveOrderReferences } from './order-fields.ts';
import { syncPhases } from './order-phases.ts';
import { orderIdOf } from './write-orders.ts';

defineUnique('orders_external_id_key', { model: 'Order', field: 'externalId', key: 'taken' });

/**
 * Creates an order with its jobs and loads (SPEC "Order", DOMAIN 1.1).
 * @param companyId of a company-scoped path
 * @param hasValidDocuments skips the check of compliance documents, for a trial that has reported them before
 * @throws Invalid with every wrong field at once
 */
export async function createOrder(
  ctx: Context,
  input: CreateOrderInput,
  companyId?: string | null,
  { papersHold = false } = {},
): Promise<Order> {
  mayCreateOrder(ctx);
  if ((input.driverId ?? input.vendorId ?? null) !== null) mayAssignNew(ctx);
  return transact(ctx, async (tx) => {
    const owner = owningCompany(tx, 'Order', input, companyId);
    if (input.externalId) await expectFiles(setTxOf(tx), owner);
    const items: ErrorItem[] = [];
    const to: ErrorCollector = { model: 'Order', items };
    const referred = await resolveOrderReferences(tx, input, owner, to);
    const order = Object.assign(new Order(), {
      company: ref(Company, owner),
      state: initialState(input, to),
      loadAt: input.loadAt,
      truckCount: input.truckCount,
      truckDelay: input.truckDelay,
      unitOfMeasure: ORDER_FIELDS.unitOfMeasure.initial,
    });
    const project = referred.projectId as Project | null | undefined;
    if (project) await inheritFromProject(tx, order, project, input);
    applyOrderFields(order, input, referred, to);
    order.loadsPerTruck = loadsPerTruckOf(order);
    const account = await accountOf(referred, to);
    if (account) order.account = ref(account);
    if (input.waypoints.length === 0) items.push({ model: 'Order', field: 'waypoints', key: 'at_least_one' });
    order.routeId = makeRoute(tx.em, owner, input.waypoints, referred.sites as (Site | undefined)[], to);
    await syncContacts(tx, order, owner, input, to);
    const phases = input.phases ?? (input.phase ? [{ ...input.phase, primary: true }] : []);
    await syncPhases(tx, { orderId: order.id, companyId: owner }, phases, to, input.phases ? 'phases' : 'phase');
    // The person who asks for work owns the request (DOMAIN 1.1), unless the input names somebody else.
    const author = viewerOf(tx);
    if (input.requesterId === undefined && (author.type === 'User' || author.type === 'Impersonation') && author.companyId === owner)
      order.requester = ref(User, author.id);
    const assignee = assigneeOf(referred, to);
    const lent = assignee.driver && assignee.driver.company.id !== owner ? assignee.driver : undefined;
    if (lent) order.sharedDriver = ref(lent);
    else if (assignee.driver) order.driver = ref(assignee.driver);
    if (assignee.vendor) order.vendor = ref(assignee.vendor);
    await validateAssignee(tx, order, { first: 1, count: input.truckCount, hasValidDocuments: papersHold }, items);
    if (order.account) await collectUnitMismatches(tx, unitsOfOrder(order, pickupOf(input)), { model: 'Order', input }, items);
    if (items.length > 0) throw new Invalid(items);
    if (input.dispatchNumber) order.dispatchNumber = ref(await dispatchNumberNamed(tx, owner, input.dispatchNumber.name));
    order.number = await nextNumbers(tx.em, owner, 'order', 1);
    order.orderId = orderIdOf(order.number);
    tx.em.persist(order);
    // The jobs' rows refer to the order, so it is written first.
    await tx.em.flush();
    const trucks = await addTrucksTo(tx, order, 1, input.truckCount);
    await giveToLent(tx, order, trucks, 'driverId', true);
    const { id, externalId } = order;
    if (externalId) await attachWaiting(setTxOf(tx), owner, [{ id, externalId }], () => tx.tx);
    emitEvent(tx, 'order.created', order, { state: order.state });
    return order;
  });
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
