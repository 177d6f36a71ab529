import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import pg from 'pg';
import { readConfig } from '../../src/app/config.ts';
import { workersOf } from '../../src/app/configured.ts';
import { LOOK_EVERY, startLookOut } from '../../src/app/look-out.ts';
import { QUEUES } from '../../src/app/queues.ts';
import { startWorkers, type WorkerOptions } from '../../src/app/workers.ts';
import { webhookSettings } from '../../src/events/webhooks/settings.ts';
import { Lifecycle } from '../../src/platform/lifecycle.ts';
import { createLog } from '../../src/platform/log.ts';
import { Receiver } from '../events/receiver.ts';
import { sendForm } from '../files/form.ts';
import { type Overheard, startTestApp, type TestApp } from '../helpers/app.ts';
import { makeOrder, makeTenant, type Tenant } from '../helpers/tenant.ts';
import { until, untilWaiting } from '../helpers/until.ts';
import { jpeg } from '../ingest/files/sample-files.ts';

/** Milliseconds: longer than any test. */
const NEVER = 3_600_000;
const log = createLog('silent');

let app: TestApp;
let tenant: Tenant;
let receiver: Receiver;
beforeAll(async () => {
  // Statements of all workers are counted, and queues of all companies looked at.
  app = await startTestApp({ newDatabase: true });
  app.application.provide(webhookSettings, { privateHosts: true, timeout: 10_000 });
  tenant = await makeTenant(app);
  receiver = await new Receiver().start();
});
afterAll(async () => {
  await app.close();
  await receiver.stop();
});

const sql = (text: string, values: unknown[] = []) => app.orm.em.fork().getConnection().execute<object[]>(text, values);

/** Runs workers that do not look by themselves, and a look-out that calls them, during `work`. */
async function lookedFor(options: WorkerOptions, every: number, work: () => Promise<void>): Promise<void> {
  const life = new Lifecycle({ log });
  try {
    const workers = await startWorkers({ orm: app.productOrm, log }, life, options);
    // What a worker looks for when it starts is not what is tested.
    await Promise.all(Object.values(workers).map((worker) => worker.idle()));
    const lookOut = startLookOut(app.productOrm.em, log, workers, every);
    await life.open(
      'look-out',
      () => lookOut,
      (one) => one.stop(),
    );
    await work();
  } finally {
    await life.close();
  }
}

const LAZY = { sweepEvery: NEVER };

test('each worker is called for its queues, but for that of imports, which looks by itself', () => {
  const called = new Set<string>(QUEUES.flatMap(({ worker }) => worker ?? []));
  const config = readConfig({
    HAULGATE_TICKET_READER_URL: 'http://reader.example',
    HAULGATE_TICKET_READER_SECRET: 'secret',
    HAULGATE_FUEL_PRICES: 'eia',
    HAULGATE_FUEL_PRICES_KEY: 'k',
  });
  const all = Object.keys(workersOf(config, app.folder, log));
  expect(all.length).toBeGreaterThan(15);
  expect(all.filter((kind) => !called.has(kind))).toEqual(['imports']);
});

/** Returns a new job that has a file. */
async function jobWithFile(): Promise<string> {
  const order = await makeOrder(tenant);
  await tenant.must('PUT', `/v1/orders/${order.id}/accept`);
  const [job] = await tenant.must('GET', `/v1/orders/${order.id}/jobs`);
  const attached = await sendForm(app, 'POST', `/v1/jobs/${job.id}/file_attachments`, [['file', jpeg(), 'a.jpg']], tenant.token);
  expect(attached.status).toBe(201);
  return job.id;
}

/** Resolves when the files of a job are packed, which somebody asks for now. */
async function packed(jobId: string): Promise<void> {
  const { id } = await tenant.must('POST', '/v1/bulk_downloads', { type: 'zip', job_ids: [jobId] });
  await until(async () => (await tenant.must('GET', `/v1/bulk_downloads/${id}`)).state === 'success');
}

test('what somebody waits for is begun when the transaction is committed, by a process that would look in an hour', async () => {
  await lookedFor({ downloads: LAZY, webhooks: LAZY }, NEVER, async () => {
    await packed(await jobWithFile());
    const subscription = await tenant.must('POST', '/v1/webhook_subscriptions', {
      url: receiver.url('/test'),
      triggers: ['Order::update'],
    });
    await tenant.must('PUT', `/v1/webhook_subscriptions/${subscription.id}/test`);
    await until(() => receiver.at('/test').length === 1);
  });
});

test('however many commits wake it, it looks ten times a second at most', async () => {
  const job = await jobWithFile();
  const looked = ({ sql: text, scope }: Overheard) => scope.purpose?.name === 'queues' && text.includes('as worker');
  await lookedFor({ downloads: LAZY }, NEVER, async () => {
    const began = performance.now();
    const looks = await app.overhear(async () => {
      for (let i = 0; i < 60; i++)
        await sendForm(app, 'POST', `/v1/jobs/${job}/file_attachments`, [['file', jpeg(), `${i}.jpg`]], tenant.token);
    }, looked);
    const seconds = (performance.now() - began) / 1000;
    expect(looks.length).toBeGreaterThan(0);
    expect(looks.length).toBeLessThanOrEqual(seconds * 10 + 1);
  });
});

test('of webhooks it finds what is tried again, what a switched-off endpoint is tested with, and what is sent once more', async () => {
  const subscription = await tenant.must('POST', '/v1/webhook_subscriptions', { url: receiver.url('/again'), triggers: ['Order::create'] });
  const path = `/v1/webhook_subscriptions/${subscription.id}`;
  const came = () => receiver.at('/again').length;
  const from = new Date(Date.now() - 60_000).toISOString();
  receiver.answer = () => 500;
  await lookedFor({ webhooks: LAZY }, 20, async () => {
    await makeOrder(tenant);
    await until(() => came() === 1);
    receiver.answer = () => 204;
    await until(
      async () =>
        (await sql('select from webhook_subscription where id = ? and failing_since is not null', [subscription.id])).length === 1,
    );
    await sql('update webhook_delivery set due_at = now() where subscription_id = ?', [subscription.id]);
    await until(() => came() === 2);
    await until(
      async () =>
        (await sql('select from webhook_delivery where subscription_id = ? and due_at is not null', [subscription.id])).length === 0,
    );
    await tenant.must('PUT', `${path}/replay`, { from });
    await until(() => came() === 3);
    await tenant.must('PUT', `${path}/pause`);
    await tenant.must('PUT', `${path}/test`);
    await until(() => came() === 4);
  });
});

test('an endpoint that was switched off keeps no other waiting while nobody can be mailed; when it can be written, the mail is', async () => {
  const at = await makeTenant(app);
  await at.person({ firstName: 'Alma', roles: ['company_admin'], emailProven: true });
  const subscribe = (path: string) =>
    at.must('POST', '/v1/webhook_subscriptions', { url: receiver.url(path), triggers: ['Order::create'] });
  const mails = () => sql(`select from outgoing_message where kind = 'webhook_switched_off'`);
  const came = () => receiver.at('/kept').length;
  receiver.answer = ({ path }) => (path === '/gone' ? 410 : 204);
  await sql(`create function refuse_mail() returns trigger language plpgsql as $$ begin raise exception 'nobody is mailed'; end $$`);
  await sql('create trigger refuse_mail before update of notified_at on webhook_subscription for each row execute function refuse_mail()');
  await lookedFor({ webhooks: LAZY }, 20, async () => {
    const gone = await subscribe('/gone');
    await subscribe('/kept');
    await makeOrder(at);
    await until(async () => (await at.must('GET', `/v1/webhook_subscriptions/${gone.id}`)).disabled_reason === 'gone');
    await until(() => came() === 1);
    await makeOrder(at);
    await until(() => came() === 2);
    expect(await mails()).toEqual([]);
    await sql('drop trigger refuse_mail on webhook_subscription');
    await until(async () => (await mails()).length === 1);
  });
});

test('a table that is locked, or gone, keeps nobody waiting for what is due in others', async () => {
  const job = await jobWithFile();
  const operator = new pg.Client({ connectionString: app.orm.config.get('clientUrl') });
  await operator.connect();
  try {
    await lookedFor({ downloads: LAZY, fleets: LAZY }, 20, async () => {
      try {
        await operator.query('begin');
        await operator.query('lock table telematics_fleet in access exclusive mode');
        await untilWaiting(app);
        await packed(job);
      } finally {
        await operator.query('rollback');
      }
      try {
        await operator.query('alter table telematics_fleet rename to fleet_elsewhere');
        await packed(job);
      } finally {
        await operator.query('alter table if exists fleet_elsewhere rename to telematics_fleet');
      }
    });
  } finally {
    await operator.end();
  }
});

test('a process whose workers have nothing to do sends few statements', async () => {
  const workers = workersOf(readConfig({}), app.folder, log);
  // Whatever the tests before have left is done first.
  await lookedFor(workers, LOOK_EVERY, async () => {
    const wants = QUEUES.filter(({ worker }) => worker).map(({ wants, rows }) => `select where exists (${wants ?? rows(1)})`);
    await until(async () => (await sql(wants.join(' union all '))).length === 0);
    const began = performance.now();
    const heard = await app.overhear(() => sleep(5_000));
    const seconds = (performance.now() - began) / 1000;
    // Each worker for its own would send more than thirty. A busy machine has its timers later, and sends fewer.
    expect(heard.length / seconds).toBeLessThan(12);
    expect(heard.some(({ scope }) => scope.purpose?.name === 'queues')).toBe(true);
  });
});
