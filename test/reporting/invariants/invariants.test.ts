import { expect, test } from '@jest/globals';
import { ref } from '@mikro-orm/core';
import pg from 'pg';
import { Company } from '../../../src/directory/companies/company.entity.ts';
import { TRIGGERS } from '../../../src/events/webhooks/triggers.ts';
import { APP_ROLE } from '../../../src/platform/database/roles.ts';
import { newId } from '../../../src/platform/ids.ts';
import { boundTables, checkInvariants, describeChecked, seeOneMoment } from '../../../src/reporting/invariants/check-invariants.ts';
import { INVARIANTS } from '../../../src/reporting/invariants/invariants.ts';
import { approveLoads, hauled, invoiceOf, makeBooks, settledWork, ticketed } from '../../billing/books.ts';
import { makeTenant } from '../../helpers/tenant.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

// A database of its own: all companies of it are compared.
const books = makeBooks({ shared: false, worker: true, webhooks: true });

/** A settlement with charges and tax, work that is approved by the ton, an import, a file, a day of a driver, and webhooks of the company and of one above it. */
async function scene(): Promise<Json> {
  const { app, tenant, biller } = books;
  const parent = await makeTenant(app);
  const own = { url: 'https://127.0.0.1:9/books', triggers: [...TRIGGERS] };
  const { id: subscription } = await tenant.must('POST', '/v1/webhook_subscriptions', own);
  const above = { url: 'https://127.0.0.1:9/above', triggers: ['Order::state_change', 'Load::create'], include_children: true };
  await parent.must('POST', '/v1/webhook_subscriptions', above);
  await app.orm.em
    .fork()
    .nativeUpdate(Company, { id: tenant.company.id }, { parentCompany: ref(parent.company) } as never, { filters: { tenant: false } });
  // A change of the first minute is not compared, because it may have been on its way: here it is not.
  await app.orm.em.execute(`update webhook_subscription set created_at = created_at - interval '1 minute'`);
  await app.orm.em.execute(`update company set updated_at = updated_at - interval '1 hour'`);
  // Of which no record has an event.
  await tenant.must('PUT', `/v1/webhook_subscriptions/${subscription}/test`);
  await tenant.must('PUT', '/v1/users/me/driver_state/on_duty', {}, tenant.driver.token);
  const settlement = await settledWork(books, 'receivable', { tax_rate: 8.25, tax_freight: true });
  await biller.must('POST', biller.path(`/settlements/${settlement.id}/add_on_charges`), {
    name: 'Fee',
    quantity: 2,
    revenue_rate_value: 7.5,
  });
  const byTon = await hauled(books, ['21.4', null], { order: { customer_rate_value: 4.25, customer_rate_type: 'RatePerTon' } });
  await ticketed(tenant, byTon.loads[1], '20');
  await approveLoads(biller, byTon);
  const { id: approvedId } = await invoiceOf(books, byTon.id);
  await biller.must('PUT', biller.path(`/invoices/${approvedId}/approve`), undefined);
  const order = {
    external_id: 'O-1',
    load_at: '2026-11-20T12:00:00Z',
    customer: { external_id: 'C-1', name: 'Customer' },
    sites: [
      { waypoint: 'pickup', name: 'Pit' },
      { waypoint: 'drop_off', name: 'Mill' },
    ],
  };
  await tenant.must('POST', '/ingest/orders', { orders: [order, { external_id: 'O-2' }] });
  await app.settled();
  const orders: Json[] = await tenant.must('GET', '/v1/orders');
  const { id: orderId } = orders.find(({ external_id }) => external_id === 'O-1');
  await tenant.must('PATCH', `/v1/orders/${orderId}`, { notes: 'changed' });
  await app.settled();
  // A reader of the feed moves the changes that were committed.
  await tenant.must('GET', tenant.path('/changes?after=0'));
  return { ...settlement, byTon, approvedId, companies: [tenant.company.id, parent.company.id] };
}

interface Of {
  load: string;
  line: string;
  invoice: string;
  settlement: string;
  job: string;
  /** A load, and the invoice, of approved work by the ton. */
  byTon: string;
  approved: string;
}
type Breaks = (of: Of) => [sql: string, values: unknown[], id?: string][];
const WITHOUT_STATES = `delete from webhook_delivery where trigger = 'Order::state_change' and company_id`;

/** The statements that break each invariant, by hand, and the id that must be named. Behind a comma: one of several things that it finds. */
const BREAKS: Record<string, Breaks> = {
  loads_belong_to_their_job: ({ load }) => [
    ['update load set order_id = (select o.id from orders o where o.id <> load.order_id limit 1) where id = $1', [load], load],
  ],
  tickets_sum_to_what_was_delivered: ({ load }) => [
    ['update ticket set order_id = (select id from orders o where o.id <> ticket.order_id limit 1) where load_id = $1', [load]],
  ],
  'tickets_sum_to_what_was_delivered, by order': ({ job }) => [
    // The delivered quantity of an order is that of the loads of its jobs.
    ['update load set job_id = gen_random_uuid() where job_id = $1', [job]],
    ['update ticket set job_id = (select job_id from load l where l.id = ticket.load_id) where job_id = $1', [job]],
  ],
  'billed_sums_are_delivered_sums, of an approved invoice': ({ byTon, approved }) => [
    ['update ticket set quantity = quantity + 0.01 where load_id = $1', [byTon], approved],
  ],
  'billed_sums_are_delivered_sums, of a load that nobody bills': ({ byTon, approved }) => [
    ['delete from invoice_line_item where load_id = $1 and invoice_id = $2', [byTon, approved], approved],
  ],
  one_ticket_counts_for_a_load: ({ load }) => [
    ['drop index ticket_active_load_key', []],
    ['update ticket set load_id = $1, quantity = null where load_id <> $1', [load], load],
  ],
  delivered_is_billed: ({ line }) => [
    ['update invoice set billing_approved_at = null', []],
    ["update invoice_line_item set delivered_quantity = 99, unit_of_measure = 'Ton' where id = $1", [line], line],
  ],
  loads_are_billed_once: ({ line, load }) => [
    ['create temporary table twice as select * from invoice where id = (select invoice_id from invoice_line_item where id = $1)', [line]],
    ['create temporary table lines as select * from invoice_line_item where id = $1', [line]],
    ['drop index invoice_books_key', []],
    ['alter table invoice_line_item drop constraint invoice_line_item_billed_key', []],
    ['update twice set id = gen_random_uuid(), number = number + 1000', []],
    ['update lines set id = gen_random_uuid(), invoice_id = (select id from twice)', []],
    ['insert into invoice select * from twice', []],
    ['insert into invoice_line_item select * from lines', [], load],
  ],
  invoices_are_their_lines: ({ invoice }) => [['update invoice set total_amount = total_amount + 1 where id = $1', [invoice], invoice]],
  'invoices_are_their_lines, with what is charged': ({ invoice }) => [
    [
      'update invoice set add_on_charges_total_amount = add_on_charges_total_amount + 1, total_amount = total_amount + 1 where id = $1',
      [invoice],
      invoice,
    ],
  ],
  'settlements_are_their_invoices, billed anew': ({ settlement }) => [
    [
      `update settlement set rebill_invoices_total_amount = invoices_total_amount + 1, rebill_add_on_charges_total_amount = 0, rebill_total_amount = invoices_total_amount + 1
       where id = $1`,
      [settlement],
      settlement,
    ],
  ],
  settlements_are_their_invoices: ({ settlement }) => [
    [
      'update settlement set invoices_total_amount = invoices_total_amount + 1, total_amount = total_amount + 1 where id = $1',
      [settlement],
      settlement,
    ],
  ],
  settled_invoices_are_live: ({ invoice }) => [["update invoice set state = 'voided' where id = $1", [invoice], invoice]],
  installments_are_counted: ({ settlement }) => [
    [
      `insert into auto_add_on_assignment (id, company_id, name, side, account_id, add_on_types, quantity, revenue_cost_rate_type, auto_add_on_installments_count)
       select $2, company_id, 'Fee', 'customer', customer_account_id, '{settlement}', 1, 'RateForEach', 1 from settlement where id = $1`,
      [settlement, ORPHAN],
      ORPHAN,
    ],
  ],
  closed_periods_stay: ({ settlement }) => [
    [
      `insert into billing_period (id, company_id, starts_on, ends_on, state, closed_at, receivables_total_amount, vendor_payables_total_amount,
         driver_payables_total_amount, settled_receivables_total_amount, settled_vendor_payables_total_amount, settled_driver_payables_total_amount)
       select $2, company_id, starts_on, ends_on, 'closed', now(), 1, 0, 0, 0, 0, 0 from settlement where id = $1`,
      [settlement, ORPHAN],
      ORPHAN,
    ],
  ],
  driver_spans_do_not_overlap: () => [
    [
      "insert into driver_state_event select (jsonb_populate_record(e, jsonb_build_object('id', gen_random_uuid(), 'ended_at', now() + interval '1 hour', 'client_id', null))).* from driver_state_event e limit 1",
      [],
    ],
  ],
  states_are_their_last_transition: ({ job }) => [["update job set state = 'sent' where id = $1", [job], job]],
  imports_have_their_effect: () => [['delete from orders where external_id = $1', ['O-1']]],
  open_imports_have_work: () => [["update imported_record set state = 'created'", []]],
  deliveries_are_numbered: () => [['update webhook_record set sequence = 0', []]],
  changes_of_state_are_sent: () => [[`${WITHOUT_STATES} = source_company_id`, []]],
  'changes_of_state_are_sent, to a company above': () => [[`${WITHOUT_STATES} <> source_company_id`, []]],
  ...Object.fromEntries(
    [
      'Order::create',
      'Job::create',
      'Load::create',
      'Ticket::create',
      'Order::update',
      'ImportedOrder::create',
      'ImportedOrder::error',
    ].map((trigger): [string, Breaks] => [
      `changes_are_sent, ${trigger}`,
      () => [['delete from webhook_delivery where trigger = $1 and company_id = source_company_id', [trigger]]],
    ]),
  ),
  'changes_are_sent, to a company above': () => [
    [`delete from webhook_delivery where trigger = 'Load::create' and company_id <> source_company_id`, []],
  ],
  deliveries_are_in_feeds: ({ load }) => [[`delete from change_entry where subject_id = $1 and kind = 'create'`, [load]]],
  events_are_in_feeds: ({ job }) => [[`delete from change_entry where subject_id = $1 and kind = 'state_change'`, [job]]],
  feeds_have_no_gaps: ({ job }) => [
    ['delete from change_entry where position = 2 and company_id = (select company_id from job where id = $1)', [job]],
  ],
  feeds_have_the_last_changes: ({ job, load }) => [
    [`update job set updated_at = now() + interval '1 minute' where id = $1`, [job], job],
    ['delete from change_entry where subject_id = $1', [load]],
    ['update load set updated_at = now() where id = $1', [load], load],
  ],
  nothing_is_orphaned: ({ settlement }) => [
    [
      `insert into file_attachment (id, company_id, created_at, updated_at, category, file_attachable_type, file_attachable_id, file_name, mime_type, byte_size, sha256, uploaded_by_type, uploaded_by_id, uploaded_by_name, uploaded_by_company_id)
       select $2, company_id, now(), now(), 'Other', 'Order', gen_random_uuid(), 'x.pdf', 'application/pdf', 1, '00', 'User', $2, 'X', company_id from settlement where id = $1`,
      [settlement, ORPHAN],
      ORPHAN,
    ],
  ],
};
const ORPHAN = newId();

test('books and events agree, and each invariant names what is broken by hand', async () => {
  const { app, tenant } = books;
  const { id, invoiceId, job, byTon, approvedId, companies }: Json = await scene();
  const office = await tenant.person({ roles: ['platform_admin'] });
  const check = (token: string, headers = {}) => app.http('GET', '/ops/invariants', { token, headers });
  const { status, body } = await check(office.token);
  expect([status, body.data.map(({ name, count, violations }: Json) => [name, count, violations])]).toEqual([
    200,
    INVARIANTS.map(({ name }) => [name, 0, []]),
  ]);
  expect((await check(tenant.admin.token)).body.error.errors).toEqual([expect.objectContaining({ field: 'platform_admin' })]);
  expect([
    (await check(tenant.token)).status,
    (await check('nobody')).status,
    (await check(office.token, { Accept: 'text/html' })).status,
  ]).toEqual([403, 401, 406]);

  const client = new pg.Client({ connectionString: String(app.orm.config.get('clientUrl')) });
  await client.connect();
  try {
    const ask = async (sql: string) => (await client.query(sql)).rows as object[];
    const [line]: Json[] = (
      await client.query('select * from invoice_line_item where invoice_id = $1 and load_id is not null', [invoiceId])
    ).rows;
    const of = {
      load: line.load_id,
      line: line.id,
      invoice: invoiceId,
      settlement: id,
      job: job.id,
      byTon: byTon.loads[0].id,
      approved: approvedId,
    };
    // The login of the application would find nothing, whatever is broken.
    expect(await boundTables(ask)).toEqual([]);
    await client.query(`set role ${APP_ROLE}`);
    const tables = await boundTables(ask);
    await client.query('reset role');
    expect(tables).toEqual(expect.arrayContaining(['invoice', 'load', 'orders', 'ticket', 'webhook_delivery']));
    const nameOf = (key: string) => key.split(', ')[0]!;
    expect([...new Set(Object.keys(BREAKS).map(nameOf))].sort()).toEqual(INVARIANTS.map(({ name }) => name).sort());
    for (const [key, breaks] of Object.entries(BREAKS)) {
      const name = nameOf(key);
      await client.query('begin');
      // Without it, the database refuses most of it by itself.
      await client.query('set local session_replication_role = replica');
      let named: string | undefined;
      for (const [sql, values, broken] of breaks(of)) {
        const { rowCount } = await client.query(sql, values);
        if (!/^(drop|create)/.test(sql)) expect([key, rowCount]).not.toEqual([key, 0]);
        named = broken ?? named;
      }
      const checked = await checkInvariants(ask);
      const found = checked.find((one) => one.name === name)!;
      expect([key, found.count]).not.toEqual([key, 0]);
      if (named) expect([key, found.violations.map((one) => one.id)]).toEqual([key, expect.arrayContaining([named])]);
      expect([key, found.violations.filter(({ what, company_id }) => !what || !companies.includes(company_id))]).toEqual([key, []]);
      expect(describeChecked(checked)).toContain(`BROKEN ${name}`);
      expect(describeChecked(checked)).toMatch(/\n\d+ of \d+ are broken: .* says what to do\. Nothing was changed\.\n$/);
      await client.query('rollback');
    }
    expect((await checkInvariants(ask)).filter(({ count }) => count > 0)).toEqual([]);
    // Several connections see one moment, whatever is written meanwhile, and say together what one says.
    const second = new pg.Client({ connectionString: String(app.orm.config.get('clientUrl')) });
    await second.connect();
    const other = async (sql: string) => (await second.query<object>(sql)).rows;
    await seeOneMoment([ask, other]);
    await app.orm.em.execute(`update invoice set total_amount = total_amount + 1 where id = ?`, [of.invoice]);
    const together = await checkInvariants(ask, other);
    expect(together.map(({ name, count }) => [name, count])).toEqual(INVARIANTS.map(({ name }) => [name, 0]));
    for (const each of [ask, other]) await each('commit');
    expect((await checkInvariants(ask, other)).filter(({ count }) => count > 0).map(({ name }) => name)).toContain(
      'invoices_are_their_lines',
    );
    await app.orm.em.execute(`update invoice set total_amount = total_amount - 1 where id = ?`, [of.invoice]);
    await expect(checkInvariants(ask, () => Promise.reject(new Error('the connection is gone')))).rejects.toThrow('the connection is gone');
    await second.end();
    // A load that delivered nothing is billed as 0.
    await client.query('begin');
    await client.query('set local session_replication_role = replica');
    await client.query('update ticket set voided_at = now() where load_id = $1', [of.load]);
    await client.query(`update load set quantity = null, unit_of_measure = 'Ton' where id = $1`, [of.load]);
    await client.query('update invoice set billing_approved_at = null');
    await client.query(`update invoice_line_item set delivered_quantity = 0, unit_of_measure = 'Ton' where id = $1`, [of.line]);
    const billed = (await checkInvariants(ask)).find(({ name }) => name === 'delivered_is_billed')!;
    expect(billed.violations).toEqual([]);
    await client.query('rollback');
  } finally {
    await client.end();
  }
}, 120_000);
