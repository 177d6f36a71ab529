import { expect, test } from '@jest/globals';
import { makeChain, makeStaffedTenant, type StaffedTenant } from '../../helpers/staffed-tenant.ts';
import type { Person } from '../../helpers/tenant.ts';
import { M10 } from '../books.ts';
import { blocksOf, cents, csv, sum, times } from '../documents/read-files.ts';
import {
  amounts,
  approved,
  approvesLoads,
  ask,
  type By,
  books,
  creates,
  does,
  hauls,
  invoiceOf,
  ordered,
  SAID,
  settled,
  weighs,
  wholeCents,
} from './by-graphql.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

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
  const kept = [
    29_440 - wholeCents(billOfMiddle.totalAmount),
    22_744 - wholeCents(owedByMiddle.totalAmount),
    22_661 - wholeCents(paid.totalAmount),
  ];
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

const FILE = `query($companyId: ID, $input: AccountingFileInput!) {
  accountingFile(companyId: $companyId, input: $input) { name mediaType content } }`;

/** An approved settlement of three loads, with tax. */
async function taxed(own: StaffedTenant, biller: By): Promise<Json> {
  const driver = await own.person({ roles: ['driver'] });
  const job = await ordered(own, { taxRate: '8.25', taxFreight: true });
  await does(own.dispatcher, 'updateJob', job, ['UpdateJobInput', { driverId: driver.user.id }]);
  await does(own.dispatcher, 'sendJob', job);
  const loads = await hauls(own, driver, job, M10.length);
  for (const [i, id] of loads.entries()) await weighs(own, id, M10[i]!);
  await approvesLoads(biller, loads);
  const { id } = await settled(biller, [(await approved(biller, job, 'Receivable')).id]);
  return does(biller, 'approveSettlement', id, undefined, 'id settlementId totalAmount');
}

test('a settlement goes to accounting by GraphQL alone: another reader adds its file up to its total, and it has the bytes of REST', async () => {
  const own = await makeStaffedTenant(books.app);
  const by = await own.person({ roles: ['biller'] });
  const { id, settlementId, totalAmount } = await taxed(own, by);
  // 294.40 and 8.25 percent.
  expect(totalAmount).toBe('318.69');
  const both = async (input: Record<string, unknown>, query: string) => {
    const { name, mediaType, content } = await ask(by, FILE, { input: { settlementIds: [id], ...input } });
    const path = own.path(`/accounting_file?format=${input.format}&settlement_ids[]=${id}${query}`);
    const answer = await fetch(books.app.url + path, { headers: { Authorization: `Bearer ${by.token}` } });
    const bytes = Buffer.from(content, 'base64');
    expect([bytes.toString('base64'), answer.status]).toEqual([content, 200]);
    expect(bytes.equals(Buffer.from(await answer.arrayBuffer()))).toBe(true);
    expect(answer.headers.get('content-type')).toBe(mediaType);
    expect(answer.headers.get('content-disposition')).toContain(`filename="${name}"`);
    return { name, bytes };
  };

  const tracking = [{ by: 'material' }, { by: 'order', name: ' Job ' }];
  const followed = '&tracking_1=material&tracking_2=order&tracking_name_2=Job';
  const xero = await both({ format: 'xero', taxAccount: '825', tracking }, `&tax_account=825${followed}`);
  const rows = csv(xero.bytes);
  expect([xero.name, new Set(rows.map((row) => row['*InvoiceNumber']))]).toEqual(['settlements-xero.csv', new Set([settlementId])]);
  expect(sum(rows.map((row) => times(row['*Quantity']!, row['*UnitAmount']!)))).toBe(cents(totalAmount));
  const [freight] = rows;
  expect(freight).toMatchObject({ TrackingName1: 'Material', TrackingOption1: own.material.name, TrackingName2: 'Job' });
  const tax = rows.filter((row) => row['*AccountCode'] === '825').map((row) => times(row['*Quantity']!, row['*UnitAmount']!));
  expect(tax).toEqual([2429n]);

  // An id that is named twice counts once.
  const iif = await both({ format: 'quickbooks_desktop', settlementIds: [id, id.toUpperCase()], account: 'Hauling' }, '&account=Hauling');
  const [block, ...more] = blocksOf(iif.bytes);
  expect([iif.name, more]).toEqual(['settlements-quickbooks-desktop.iif', []]);
  expect(block![0]).toMatchObject({ TRNSTYPE: 'INVOICE', DOCNUM: settlementId });
  expect([cents(block![0]!.AMOUNT!), sum(block!.map(({ AMOUNT }) => cents(AMOUNT!)))]).toEqual([cents(totalAmount), 0n]);
  expect(new Set(block!.slice(1).map(({ ACCNT }) => ACCNT))).toEqual(new Set(['Hauling', 'Sales Tax Payable']));
  expect((await ask(by, 'query($id: ID!) { settlement(id: $id) { state exportedAt } }', { id })).state).toBe('approved');
});

test('a file that cannot be made is refused by the fields of GraphQL, and to those who may not read it', async () => {
  const own = await makeStaffedTenant(books.app);
  const by = await own.person({ roles: ['biller'] });
  const { id } = await taxed(own, by);
  const stranger = await (await makeStaffedTenant(books.app)).person({ roles: ['biller'] });
  const refused = async (who: By, input: object, companyId?: string): Promise<unknown[]> => {
    const { data, errors } = await who.gql(FILE, { companyId, input: { format: 'xero', taxAccount: '825', ...input } });
    const { code, errors: items } = errors[0].extensions;
    return [data?.accountingFile ?? null, code, ...(items ?? []).map(({ field }: Json) => field)];
  };
  const invalid = async (input: object) => (await refused(by, { settlementIds: [id], ...input })).slice(1);
  const NONE = '018cc251-f400-7000-8000-000000000001';
  const ids = (count: number) => Array.from({ length: count }, (_, i) => `018cc251-f400-7000-8000-${String(i).padStart(12, '0')}`);
  const long = 'x'.repeat(160);
  const wrong: [input: object, ...fields: string[]][] = [
    [{ settlementIds: [] }, 'settlementIds'],
    [{ settlementIds: null, invoiceIds: null }, 'settlementIds'],
    [{ settlementIds: ids(60), invoiceIds: ids(41) }, 'settlementIds'],
    [{ settlementIds: null, invoiceIds: ids(101) }, 'invoiceIds'],
    // Each is named where the list has it first.
    [{ settlementIds: [id, id, NONE, 'x'] }, 'settlementIds.3'],
    [{ settlementIds: [id, id, NONE], invoiceIds: [id] }, 'settlementIds.2', 'invoiceIds.0'],
    [{ taxAccount: ' ' }, 'taxAccount'],
    [{ taxItem: 'Tax' }, 'taxItem'],
    [{ account: long, taxAccount: long }, 'account', 'taxAccount'],
    [{ format: 'template' }, 'templateId'],
    [{ format: 'template', templateId: 'x' }, 'templateId'],
    [{ format: 'template', templateId: NONE }, 'templateId'],
    [{ format: 'quickbooks_desktop', tracking: [{ by: 'order' }] }, 'tracking'],
    [{ tracking: [{ by: 'order' }, { by: 'project' }, { by: 'service' }] }, 'tracking'],
    [{ tracking: [{ by: 'order' }, { by: 'project', name: long }] }, 'tracking.1.name'],
  ];
  for (const [input, ...fields] of wrong) expect([input, await invalid(input)]).toEqual([input, ['unprocessable_content', ...fields]]);
  for (const [input, place] of [
    [{ format: 'abacus' }, 'input.format'],
    [{ tracking: [{ by: 'driver' }] }, 'input.tracking.0.by'],
  ] as const) {
    const { errors } = await by.gql(FILE, { input: { format: 'xero', settlementIds: [id], ...input } });
    expect([errors[0].extensions.code, errors[0].message]).toEqual(['bad_request', expect.stringContaining(place)]);
  }

  expect(await refused(stranger, { settlementIds: [id] })).toEqual([null, 'unprocessable_content', 'settlementIds.0']);
  expect(await refused(stranger, { settlementIds: [id] }, own.company.id)).toEqual([null, 'object_not_found']);
  const withRole = async (permissions: string[]): Promise<By> => {
    const role = await creates(own.admin, 'createIamRole', 'CreateIamRoleInput', { name: `Books ${permissions.length}`, permissions });
    return own.person({ roles: [], customRoleIds: [role.id] });
  };
  const MANAGES = 'manage_accounting_integration';
  const people: [By, missing: string][] = [
    [own.driver, MANAGES],
    [own.dispatcher, MANAGES],
    [await own.person({ roles: ['it_admin'] }), 'view_settlements'],
    [await withRole([MANAGES, 'view_settlements']), 'view_customer_rates'],
  ];
  for (const [who, missing] of people) expect(await refused(who, { settlementIds: [id] })).toEqual([null, 'forbidden', missing]);
});
