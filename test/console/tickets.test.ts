import { expect } from '@jest/globals';
import { makeOrder } from '../helpers/tenant.ts';
import { makeOperator, withBrowser } from './operator.ts';

const operator = makeOperator();

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

/** Sends a ticket of a truck that nobody knows. @returns its id */
async function sendUnlinked(number: string, more: object = {}): Promise<string> {
  const ticket = { ticket_number: number, quantity: 22.4, unit_of_measure: 'tons', truck_id: `Truck of ${number}`, ...more };
  const { records } = await operator.tenant.must('POST', '/ingest/tickets', { tickets: [ticket] });
  await operator.app.settled();
  return (await operator.tenant.must('GET', `/v1/imported_records/${records[0].id}`)).result_id;
}
/** Makes an order of one truck at 06:00 of a day in Chicago. @returns its job */
async function haul(day: string, more: object = {}): Promise<Json> {
  const order = await makeOrder(operator.tenant, { load_at: `${day}T12:00:00.000Z`, loads_per_truck: 2, ...more });
  const [job] = await operator.tenant.must('GET', `/v1/orders/${order.id}/jobs`);
  return job;
}
const loadOf = async (ticket: string) => (await operator.tenant.must('GET', `/v1/tickets/${ticket}`)).load_id;

withBrowser('a dispatcher, who does not see the imports, links a ticket to a load by keyboard alone', async () => {
  const ticket = await sendUnlinked('KEYS-1', { service_date: '2026-03-02T09:30' });
  const other = await sendUnlinked('KEYS-2', { service_date: '2026-03-03T09:30' });
  const job = await haul('2026-03-02');
  await haul('2026-03-04');
  const { page, complaints } = await operator.open('/console');
  await operator.signIn(page, await operator.colleague('dispatcher'));
  await page.getByRole('heading', { name: 'Tickets without a load' }).waitFor();
  const focused = () => page.evaluate("document.activeElement.getAttribute('aria-label') ?? document.activeElement.innerText");
  await page.getByLabel('Ticket number, truck or vendor').fill('KEYS');
  await page.keyboard.press('Enter');
  await page.getByText('2 tickets.').waitFor();
  expect(await page.getByRole('link', { name: 'Imports' }).count()).toBe(0);

  await page.getByRole('button', { name: 'KEYS-1' }).press('Enter');
  const panel = page.getByRole('region', { name: 'ticket KEYS-1' });
  await panel.getByText('The ticket has no load.').waitFor();
  expect(await focused()).toBe('ticket KEYS-1');
  // The jobs of its day are there without a search.
  await panel.getByText('1 job.').waitFor();
  await panel.getByRole('combobox', { name: `Load of ${job.job_id}` }).focus();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Tab');
  expect(await focused()).toBe(`Link to a load of ${job.job_id}`);
  await page.keyboard.press('Enter');
  await panel.getByText(/The ticket is pending, with load .+ of job/).waitFor();
  expect(await focused()).toBe('Load');
  const { data } = await operator.tenant.gql('query($id: ID!) { job(id: $id) { loads { nodes { id ordinality } } } }', { id: job.id });
  expect(await loadOf(ticket)).toBe(data.job.loads.nodes.find(({ ordinality }: Json) => ordinality === 2).id);

  await page.keyboard.press('Escape');
  await page.getByText('1 ticket.').waitFor();
  expect(await page.evaluate('document.activeElement.id')).toBe('tickets');
  expect(await loadOf(other)).toBe(null);
  expect(complaints).toEqual([]);
});

withBrowser('a ticket is linked from its imported record, by order, day and truck, and what is refused is said there', async () => {
  const job = await haul('2026-04-06', { external_id: 'ERP-77' });
  const busy = await haul('2026-04-06', { dispatch_number: { name: 'TOWER' } });
  const ticket = await sendUnlinked('PAGE-1', { service_date: '2026-04-07T09:30', order_external_id: 'ERP-78' });
  const { page } = await operator.signedIn('/console/imports?search=PAGE-1');
  await page.getByRole('button', { name: 'PAGE-1' }).click();
  const panel = page.getByRole('region', { name: 'ticket PAGE-1' });
  await panel.getByText('No job was found. Change the order, the day or the truck.').waitFor();
  const order = panel.getByLabel('Order, dispatch number or customer');
  expect([await order.inputValue(), await panel.getByLabel('Day').inputValue()]).toEqual(['ERP-78', '2026-04-07']);

  const find = panel.getByRole('button', { name: 'Find jobs' });
  await order.fill('');
  await panel.getByLabel('Day').fill('2026-04-06');
  await find.click();
  await panel.getByText('2 jobs.').waitFor();
  await panel.getByLabel('Truck').fill('no such truck');
  await find.click();
  await panel.getByText('No job was found.').waitFor();
  await panel.getByLabel('Truck').fill('');
  await order.fill('TOWER');
  await find.click();
  await panel.getByText('1 job.').waitFor();
  // Meanwhile somebody else takes its first load.
  const [first] = await operator.tenant.must('GET', `/v1/jobs/${busy.id}/loads`);
  await operator.tenant.must('POST', '/v1/tickets', { load_id: first.id, ticket_number: 'OTHER-1', quantity: 1, unit_of_measure: 'Ton' });
  const load = panel.getByRole('combobox', { name: `Load of ${busy.job_id}` });
  await load.selectOption(first.id);
  await panel.getByRole('button', { name: `Link to a load of ${busy.job_id}` }).click();
  await panel.getByRole('alert').filter({ hasText: /taken/ }).waitFor();

  await order.fill('ERP-77');
  await find.click();
  await panel.getByRole('button', { name: `Link to a load of ${job.job_id}` }).click();
  await page.getByText(/^The ticket is linked to load /).waitFor();
  await panel.getByText(/The ticket is pending, with load/).waitFor();
  expect(await loadOf(ticket)).not.toBe(null);
  await page.getByRole('link', { name: 'Tickets without a load' }).click();
  await page.getByRole('heading', { name: 'Tickets without a load' }).waitFor();
  await page.getByRole('link', { name: 'Imports' }).waitFor();
});

withBrowser('who sees the imports and may not edit tickets reads who links them', async () => {
  await sendUnlinked('READ-1', { service_date: '2026-05-04T09:30' });
  const { page } = await operator.open('/console/tickets');
  await operator.signIn(page, await operator.colleague('it_admin'));
  await page.getByRole('heading', { name: 'Imports' }).waitFor();
  expect(await page.getByRole('link', { name: 'Tickets without a load' }).count()).toBe(0);
  await page.goto(`${operator.app.url}/console/imports?search=READ-1`);
  await page.getByRole('button', { name: 'READ-1' }).click();
  const panel = page.getByRole('region', { name: 'ticket READ-1' });
  await panel.getByText('The ticket has no load. Whoever may edit tickets can link it.').waitFor();
  expect(await panel.getByRole('button', { name: 'Find jobs' }).count()).toBe(0);
});
