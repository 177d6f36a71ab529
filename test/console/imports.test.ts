import { expect } from '@jest/globals';
import type { Route } from 'playwright-core';
import { makeOperator, withBrowser } from './operator.ts';

const operator = makeOperator();

withBrowser('an operator signs in, finds what failed by keyboard, corrects it and sees it processed', async () => {
  const { page, complaints, hosts } = await operator.signedIn('/console/imports');
  await page.getByRole('row', { name: /GOOD-1/ }).waitFor();
  expect(await page.getByRole('row').count()).toBe(3);
  await page.getByLabel('State').selectOption('failed');
  await page.getByText('1 record.').waitFor();
  expect(page.url()).toContain('state=failed');

  await page.getByRole('button', { name: 'BAD-1' }).focus();
  await page.keyboard.press('Enter');
  const panel = page.getByRole('region', { name: 'order BAD-1' });
  await panel.waitFor();
  expect(await page.evaluate('document.activeElement.textContent')).toBe('order BAD-1');
  expect(await panel.innerText()).toContain('invalid_timestamp: /load_at');
  await page.keyboard.press('Escape');
  expect(await page.evaluate('document.activeElement.textContent')).toBe('BAD-1');

  await page.keyboard.press('Enter');
  await panel.getByRole('button', { name: 'Edit and resubmit' }).click();
  const payload = panel.getByLabel('Corrected payload');
  await payload.fill('{ "external_id": ');
  await panel.getByRole('button', { name: 'Resubmit' }).click();
  await panel.getByText(/This is not JSON/).waitFor();
  await payload.fill(JSON.stringify({ external_id: 'BAD-1', load_at: '2026-12-02T07:00:00', customer: { external_id: 'C-1' } }));
  await panel.getByRole('button', { name: 'Resubmit' }).click();
  await page.getByText('The corrected payload is on its way.').waitFor();
  // The panel shows what takes its place, and what becomes of that, without anybody asking again.
  await panel.getByText('processed', { exact: true }).waitFor();
  await panel.getByText('/v1/orders/').waitFor();
  expect(await panel.getByRole('button', { name: 'Edit and resubmit' }).count()).toBe(0);
  await page.getByLabel('State').selectOption('processed');
  await page.getByRole('row', { name: /BAD-1/ }).waitFor();

  expect(complaints).toEqual([]);
  expect([...hosts]).toEqual([operator.app.url]);
});

withBrowser('a failed record is tried again, put aside, and all of a kind at once', async () => {
  await operator.sendBroken('AGAIN-1', 'AGAIN-2');
  const { page } = await operator.signedIn('/console/imports?search=AGAIN');
  await page.getByText('2 records.').waitFor();
  await page.getByRole('button', { name: 'AGAIN-1' }).click();
  const panel = page.getByRole('region', { name: 'order AGAIN-1' });
  await panel.getByRole('button', { name: 'Retry' }).click();
  await page.getByText('The record is tried again.').waitFor();
  await operator.app.settled();
  await page.getByRole('button', { name: 'Refresh' }).click();
  await page.getByRole('row', { name: /AGAIN-1.*failed.*2$/ }).waitFor();
  await panel.getByRole('button', { name: 'Skip' }).click();
  await page.getByText('The record is put aside.').waitFor();
  await page.getByRole('row', { name: /AGAIN-1.*skipped/ }).waitFor();
  await panel.getByText('skipped', { exact: true }).waitFor();
  expect(await panel.getByRole('button', { name: 'Retry' }).count()).toBe(0);

  // A search names what an id looks like, which the replay knows nothing of: it is not offered.
  expect(await page.getByRole('button', { name: 'Skip all failed' }).count()).toBe(0);
  await page.getByLabel('Id or error').fill('');
  await page.keyboard.press('Enter');
  page.once('dialog', (dialog) => dialog.dismiss());
  await page.getByRole('button', { name: 'Skip all failed' }).click();
  await page.getByRole('row', { name: /AGAIN-2.*failed/ }).waitFor();
  page.once('dialog', (dialog) => dialog.accept());
  await page.getByRole('button', { name: 'Skip all failed' }).click();
  await page.getByText(/records? (is|are) put aside\./).waitFor();
  await page.getByRole('row', { name: /AGAIN-2.*skipped/ }).waitFor();
});

withBrowser('what is refused is said next to the button that asked for it', async () => {
  await operator.sendBroken('SAID-1');
  const { page } = await operator.signedIn('/console/imports?search=SAID');
  await page.getByRole('button', { name: 'SAID-1' }).click();
  const panel = page.getByRole('region', { name: 'order SAID-1' });
  await panel.getByRole('button', { name: 'Edit and resubmit' }).click();
  await panel.getByLabel('Corrected payload').fill('[]');
  await panel.getByRole('button', { name: 'Resubmit', exact: true }).click();
  await panel.getByRole('alert').getByText('is not an object').waitFor();
  expect(await panel.getByLabel('Corrected payload').inputValue()).toBe('[]');
  await panel.getByRole('button', { name: 'Cancel' }).click();
  expect(await panel.getByRole('alert').count()).toBe(0);
  // Meanwhile somebody else put it aside.
  await operator.tenant.must('PUT', '/v1/imported_records/bulk_skip', { filter: { imported_for: ['SAID-1'] } });
  await panel.getByRole('button', { name: 'Retry' }).click();
  await panel.getByRole('alert').getByText('It changed meanwhile: cannot retry a record that is skipped.').waitFor();
  // The record and the list are shown in their present state.
  await panel.getByText('skipped', { exact: true }).waitFor();
  await panel.getByText(/^skipped_by_user: /).waitFor();
  expect(await panel.getByRole('button', { name: 'Retry' }).count()).toBe(0);
  await page.getByRole('row', { name: /SAID-1.*skipped/ }).waitFor();
  expect(await panel.getByRole('alert').innerText()).toContain('It is shown as it is now.');
});

withBrowser('a correction outlives that somebody else acted meanwhile', async () => {
  await operator.sendBroken('DRAFT-1');
  const { page } = await operator.signedIn('/console/imports?search=DRAFT');
  await page.getByRole('button', { name: 'DRAFT-1' }).click();
  const panel = page.getByRole('region', { name: 'order DRAFT-1' });
  await panel.getByRole('button', { name: 'Edit and resubmit' }).click();
  await panel.getByLabel('Corrected payload').fill('{ "external_id": "DRAFT-1" }');
  await operator.tenant.must('PUT', '/v1/imported_records/bulk_skip', { filter: { imported_for: ['DRAFT-1'] } });
  await panel.getByRole('button', { name: 'Resubmit', exact: true }).click();
  await panel.getByRole('alert').getByText('It changed meanwhile').waitFor();
  await panel.getByText('skipped', { exact: true }).waitFor();
  expect(await panel.getByLabel('Corrected payload').inputValue()).toBe('{ "external_id": "DRAFT-1" }');
});

withBrowser('a long list is read to its end and back', async () => {
  await operator.sendBroken(...Array.from({ length: 60 }, (_, i) => `LONG-${i}`));
  const { page } = await operator.signedIn('/console/imports?search=LONG');
  const first = () => page.getByRole('row').nth(1).getByRole('button').innerText();
  const step = async (name: string, count: string) => {
    const before = page.url();
    await page.getByRole('button', { name, exact: true }).press('Enter');
    await page.waitForURL((url) => url.href !== before);
    await page.locator('table[aria-busy=false]').waitFor();
    await page.getByText(`${count} ones.`, { exact: true }).waitFor();
  };
  await page.getByText('25 records on this page; there are older ones.', { exact: true }).waitFor();
  const newest = await first();
  expect(await page.getByRole('button', { name: 'Newer' }).isDisabled()).toBe(true);
  await step('Older', '25 records on this page; there are newer and older');
  const second = await first();
  await step('Older', '10 records on this page; there are newer');
  expect(await page.getByRole('button', { name: 'Older' }).isDisabled()).toBe(true);
  // Where the way ends, the keyboard is still at it.
  expect(await page.evaluate('document.activeElement.textContent')).toBe('Older');
  await step('Newer', '25 records on this page; there are newer and older');
  expect(await first()).toBe(second);
  await step('Newest', '25 records on this page; there are older');
  expect([await first(), new Set([newest, second]).size]).toEqual([newest, 2]);
});

withBrowser('a record has an address, and times are those of its company', async () => {
  const { page } = await operator.signedIn('/console/imports?search=GOOD');
  await page.getByRole('button', { name: 'GOOD-1' }).click();
  const panel = page.getByRole('region', { name: 'order GOOD-1' });
  await panel.waitFor();
  await page.reload();
  await panel.waitFor();
  await page.goBack();
  await panel.waitFor({ state: 'detached' });
  // Seen from another part of the world, the list of a company in Chicago is the same.
  const inDays = (days: number) =>
    new Date(Date.now() + days * 86_400_000)
      .toLocaleString('sv', { timeZone: 'America/Chicago', dateStyle: 'short', timeStyle: 'short' })
      .replace(' ', 'T');
  const abroad = await operator.browser.newContext({ timezoneId: 'Asia/Tokyo' });
  const there = await abroad.newPage();
  await there.goto(`${operator.app.url}/console/imports?search=GOOD&after=${inDays(-2)}&before=${inDays(1)}`);
  await operator.signIn(there);
  await there.getByText('1 record.').waitFor();
  await there.getByLabel('To', { exact: true }).fill(inDays(-1));
  await there.getByText('No records.').waitFor();
  await abroad.close();
});

withBrowser('an error page of a proxy, a lost network and a session that ends cost no work', async () => {
  await operator.sendBroken('WORK-1');
  const { page } = await operator.signedIn('/console/imports?search=WORK');
  await page.getByRole('button', { name: 'WORK-1' }).click();
  await page.getByRole('button', { name: 'Edit and resubmit' }).click();
  const payload = page.getByLabel('Corrected payload');
  await payload.fill('{ "external_id": "WORK-1", "load_at": "soon", "load_at": "later", "customer": { "external_id": "C-1" } }');
  const resubmit = page.getByRole('button', { name: 'Resubmit', exact: true });
  await page.route('**/resubmit', (route) => route.fulfill({ status: 502, contentType: 'text/html', body: '<h1>Bad gateway</h1>' }));
  await resubmit.click();
  await page.getByText('The server answered 502 without saying why. Try again.').waitFor();
  await page.unroute('**/resubmit');
  await page.route('**/resubmit', (route) => route.abort());
  await resubmit.click();
  await page.getByText('The server cannot be reached. Try again.').waitFor();
  await page.unroute('**/resubmit');
  await page.route('**/resubmit', (route) => route.continue({ headers: { ...route.request().headers(), authorization: 'Bearer over' } }));
  await resubmit.click();
  await page.getByText('Your session is over.').waitFor();
  await page.unroute('**/resubmit');
  await operator.signIn(page);
  expect(await page.getByLabel('Corrected payload').inputValue()).toContain('"later"');
  await page.getByRole('button', { name: 'Resubmit', exact: true }).click();
  await page.getByText('The corrected payload is on its way.').waitFor();
  await operator.app.settled();
  await page.reload();
  await page.getByRole('cell', { name: 'duplicate_field' }).waitFor();
});

withBrowser('warnings are listed and explained, a batch is filtered and counted, and what was made is shown next to it', async () => {
  const order = (id: string, more: object = {}) => ({
    external_id: id,
    load_at: '2026-12-01T07:00',
    customer: { external_id: 'C-1' },
    ...more,
  });
  const { batch_id } = await operator.tenant.must('POST', '/ingest/orders', {
    orders: [order('WARN-1', { unit_of_measure: 'buckets' }), order('WARN-2'), order('WARN-3', { load_at: 'soon' })],
  });
  await operator.app.settled();
  const { page, complaints } = await operator.signedIn('/console/imports?search=WARN');
  await page.getByRole('row', { name: /WARN-1.*unknown_unit/ }).waitFor();
  await page.getByLabel('Warnings').selectOption('with');
  await page.getByText('1 record.').waitFor();
  expect(page.url()).toContain('warned=true');
  await page.getByRole('button', { name: 'WARN-1' }).click();
  const panel = page.getByRole('region', { name: 'order WARN-1' });
  await panel.getByText('This is no unit, so tons were taken.').waitFor();
  // A token that is over meanwhile is fetched anew, and the person notices nothing.
  const over = (route: Route) => route.continue({ headers: { ...route.request().headers(), authorization: 'Bearer over' } });
  await page.route('**/orders/*', over, { times: 1 });
  await panel.getByRole('button', { name: /\/v1\/orders\// }).click();
  await panel
    .getByText(/"external_id": "WARN-1"/)
    .last()
    .waitFor();
  await panel.getByText(/"state_events"/).waitFor();
  // It is on the page of its day.
  expect(await panel.getByRole('link', { name: 'its day' }).getAttribute('href')).toBe('/console/day?date=2026-12-01');
  expect(complaints.splice(0)).toEqual([expect.stringContaining('401')]);
  await panel.getByRole('button', { name: batch_id }).click();
  await page.getByLabel('Id or error').fill('');
  await page.keyboard.press('Enter');
  await page.getByLabel('Warnings').selectOption('all');
  await page.getByText('3 records.').waitFor();
  await page.getByText('This batch: 2 processed, 1 failed, 1 with warnings.').waitFor();
  await page.getByRole('button', { name: 'All batches' }).click();
  await page.getByText(/^The last seven days: \d+ processed, \d+ failed/).waitFor();
  // The counts are of the list: of its kind and its words, whatever state is chosen.
  await page.getByLabel('Id or error').fill('WARN');
  await page.keyboard.press('Enter');
  await page.getByLabel('State').selectOption('failed');
  await page.getByText('The last seven days, "WARN": 2 processed, 1 failed, 1 with warnings.').waitFor();
  expect(page.url()).not.toContain(batch_id);
  expect(complaints).toEqual([]);
});
