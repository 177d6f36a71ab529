import { afterAll, beforeAll, expect } from '@jest/globals';
import { Receiver } from '../events/receiver.ts';
import { makeOrder } from '../helpers/tenant.ts';
import { until } from '../helpers/until.ts';
import { hasBrowser } from '../helpers/where.ts';
import { makeOperator, withBrowser } from './operator.ts';

const operator = makeOperator({ webhooks: true });
const receiver = new Receiver();
beforeAll(async () => {
  if (hasBrowser) await receiver.start();
});
afterAll(async () => {
  if (hasBrowser) await receiver.stop();
});

withBrowser('an administrator subscribes an endpoint, sees what was sent, and sends it again', async () => {
  const { page, complaints } = await operator.open('/console/webhooks');
  await operator.signIn(page);
  await page.getByText('Nobody is informed of anything yet.').waitFor();
  await page.getByRole('button', { name: 'New subscription' }).click();
  const form = page.getByRole('form', { name: 'New subscription' });
  expect(await form.getByRole('button', { name: 'Subscribe' }).isDisabled()).toBe(true);
  await form.getByLabel('Name').fill('Office');
  await form.getByRole('checkbox', { name: 'Order create', exact: true }).check();
  // The fault is shown in the words of the server, and no value that was filled in is lost.
  await form.getByRole('button', { name: 'Add a header' }).click();
  await form.getByLabel('Name of header 1').fill('X-Tenant');
  await form.getByLabel('Value of header 1').fill('seven');
  await form.getByLabel('Address').fill('ftp://hooks.example');
  await form.getByRole('button', { name: 'Subscribe' }).click();
  await page.getByRole('alert').filter({ hasText: 'https' }).waitFor();
  await form.getByLabel('Address').fill(receiver.url('/office'));
  await form.getByRole('button', { name: 'Subscribe' }).click();
  const panel = page.getByRole('region', { name: 'Office' });
  await panel.getByText(/The secret is whsec_/).waitFor();
  await panel.getByText('Nothing yet.').waitFor();

  receiver.answer = () => (res) => res.writeHead(500).end('out of order');
  await makeOrder(operator.tenant);
  // The request of the page may not have reached the server yet.
  const refreshed = (text: RegExp) =>
    until(async () => {
      await operator.app.settled();
      await panel.getByRole('button', { name: 'Refresh' }).click();
      return (await panel.getByText(text).count()) > 0;
    });
  await refreshed(/^1 try, again at/);
  await panel.getByRole('button', { name: /^Order::create, / }).click();
  await panel.getByText(/Try 1, .+: answered 500 after \d+ ms/).waitFor();
  await panel.getByText('What was answered').click();
  await panel.getByText('out of order').waitFor();
  await panel.getByText(/^transfer-encoding: chunked$/m).waitFor();
  await panel.getByText('What was sent', { exact: true }).last().click();
  await panel.getByText(/^X-Tenant: \*\*\*\n(.|\n)*^webhook-id: /m).waitFor();
  expect(receiver.at('/office')[0]!.headers['x-tenant']).toBe('seven');
  await page.reload();
  await panel.getByText(/^Failing since/).waitFor();
  expect(await page.getByText(/The secret is/).count()).toBe(0);

  receiver.answer = () => (res) => res.writeHead(204).end();
  await panel.getByRole('button', { name: /^Send Order::create of .+ again$/ }).click();
  await refreshed(/^delivered, \d tries$/);
  await panel.getByRole('button', { name: 'Pause' }).click();
  await panel.getByText(/^Paused since/).waitFor();
  await makeOrder(operator.tenant);
  await refreshed(/^waits$/);
  await panel.getByRole('button', { name: 'Resume' }).click();
  await panel.getByText('Works').waitFor();
  await panel.getByRole('button', { name: 'New secret' }).click();
  await panel.getByText(/The secret is whsec_/).waitFor();
  await panel.getByRole('button', { name: 'Change' }).click();
  await panel.getByRole('checkbox', { name: 'Load state change', exact: true }).check();
  await panel.getByRole('button', { name: 'Save' }).click();
  await panel.getByText('Order::create, Load::state_change').waitFor();
  // A value that was not written anew is kept.
  await panel.getByText('X-Tenant', { exact: true }).waitFor();
  await panel.getByRole('button', { name: 'Change' }).click();
  await panel.getByRole('button', { name: 'Write them anew' }).click();
  await panel.getByLabel('Name of header 1').fill('X-Yard');
  await panel.getByRole('button', { name: 'Save' }).click();
  await panel.getByText('X-Yard', { exact: true }).waitFor();
  await operator.app.settled();
  const taken = receiver.at('/office').length;
  await panel.getByRole('button', { name: 'Replay' }).click();
  const replay = panel.getByRole('form', { name: 'Replay' });
  await replay.getByLabel('All events from').fill('2020-01-01T00:00');
  await replay.getByLabel('until').fill('2020-01-02T00:00');
  await replay.getByRole('button', { name: 'Send them again' }).click();
  await page.getByText('It is sent again.').waitFor();
  await operator.app.settled();
  expect(receiver.at('/office')).toHaveLength(taken);
  await panel.getByRole('button', { name: 'Replay' }).click();
  await replay.getByLabel('All events from').fill('2020-01-01T00:00');
  await replay.getByRole('button', { name: 'Send them again' }).click();
  await until(() => receiver.at('/office').length === taken + 2);
  await panel.getByRole('button', { name: 'Delete' }).click();
  await panel.getByRole('button', { name: 'Delete it' }).click();
  await page.getByText('It is deleted.').waitFor();
  expect((await operator.tenant.must('GET', '/v1/webhook_subscriptions', undefined, await operator.tenant.administrator())).length).toBe(0);
  // The browser itself reports the answers that refuse.
  expect(complaints.filter((one) => !one.includes('422'))).toEqual([]);
});

withBrowser('who may not manage webhooks has no page for them', async () => {
  const { page } = await operator.open('/console/webhooks');
  await operator.signIn(page, await operator.colleague('dispatcher'));
  await page.getByRole('heading', { name: 'Tickets without a load' }).waitFor();
  expect(await page.getByRole('link', { name: 'Webhooks' }).count()).toBe(0);
});
