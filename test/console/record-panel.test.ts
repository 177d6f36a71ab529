import { expect } from '@jest/globals';
import { makeOperator, withBrowser } from './operator.ts';

const operator = makeOperator();

withBrowser('by keyboard alone the focus is never lost, and half a date asks for nothing', async () => {
  await operator.sendBroken('KEYS-1', 'KEYS-2');
  const { page, asked } = await operator.signedIn('/console/imports');
  const focused = () =>
    page.evaluate(
      `(({ tagName, labels, innerText }) => labels?.[0]?.innerText ?? (tagName === 'BODY' ? tagName : innerText))(document.activeElement)`,
    );
  const press = async (panel: ReturnType<typeof page.getByRole>, name: string) => {
    await panel.getByRole('button', { name, exact: true }).focus();
    await page.keyboard.press('Enter');
  };
  await page.getByLabel('Id or error').focus();
  await page.keyboard.type('KEYS');
  await page.keyboard.press('Enter');
  await page.getByText('2 records.').waitFor();
  expect(await focused()).toBe('Id or error');

  const time = page.getByLabel('From', { exact: true });
  await time.fill('2026-01-02T07:00');
  await page.getByText('Records of the chosen time').waitFor();
  await page.getByText('2 records.').waitFor();
  const before = asked.length;
  await time.focus();
  for (const key of ['Tab', 'Tab', '2', '0', '2']) await page.keyboard.press(key);
  expect([await time.inputValue(), asked.length, new URL(page.url()).searchParams.get('after')]).toEqual([
    '0202-01-02T07:00',
    before,
    '2026-01-02T07:00',
  ]);
  await page.keyboard.press('5');
  await page.waitForURL(/after=2025-01-02/);
  expect([await time.inputValue(), await focused()]).toEqual(['2025-01-02T07:00', 'From']);
  await page.goBack();
  await page.waitForURL(/after=2026-01-02/);
  expect(await time.inputValue()).toBe('2026-01-02T07:00');

  await page.getByRole('button', { name: 'KEYS-1' }).press('Enter');
  const panel = page.getByRole('region', { name: 'order KEYS-1' });
  await panel.waitFor();
  await press(panel, 'Edit and resubmit');
  expect(await focused()).toBe('Corrected payload');
  await press(panel, 'Cancel');
  expect(await focused()).toBe('Edit and resubmit');
  await press(panel, 'Skip');
  await panel.getByText('skipped', { exact: true }).waitFor();
  expect(await focused()).toBe('order KEYS-1');
  await page.keyboard.press('Escape');
  await panel.waitFor({ state: 'detached' });
  expect(await focused()).toBe('KEYS-1');
});

withBrowser('a correction and what it corrects lead to each other', async () => {
  await operator.sendBroken('PAIR-1');
  const { page } = await operator.signedIn('/console/imports?search=PAIR');
  await page.getByRole('button', { name: 'PAIR-1' }).click();
  const panel = page.getByRole('region', { name: 'order PAIR-1' });
  await panel.getByRole('button', { name: 'Edit and resubmit' }).click();
  await panel.getByLabel('Corrected payload').fill('{ "external_id": "PAIR-1" }');
  await panel.getByRole('button', { name: 'Resubmit', exact: true }).click();
  await panel.getByText('Sent in place of').waitFor();
  // Its outcome comes by itself, and is read out.
  await panel.locator('[aria-live=polite]').getByText('failed', { exact: true }).waitFor();
  const corrected = page.url();
  // The batch comes after it.
  await panel.getByRole('definition').getByRole('button').first().click();
  await panel.getByText(/^resubmitted: /).waitFor();
  await page.goBack();
  expect(page.url()).toBe(corrected);
});

withBrowser('an address that leads to nothing says so, and the list is there all the same', async () => {
  await operator.sendBroken('HERE-1');
  const { page } = await operator.signedIn(
    '/console/imports?search=HERE&after=99999-01-01T00:00&record=01a1fb64-adb0-7c11-8a1f-2f0d2b7c9d10',
  );
  await page.getByText('1 record.').waitFor();
  expect(await page.getByRole('alert').innerText()).toBe('There is no such record.');
  await page.getByRole('button', { name: 'HERE-1' }).click();
  await page.getByRole('region', { name: 'order HERE-1' }).waitFor();
  expect(await page.getByRole('alert').count()).toBe(0);
});

withBrowser('what is no record cannot be tried again, and something is sent in its place', async () => {
  await operator.tenant.must('POST', '/ingest/orders', { orders: ['no record'] });
  const { page } = await operator.signedIn('/console/imports?search=not_an_object');
  await page.getByRole('button', { name: '(no id)' }).click();
  const panel = page.getByRole('region', { name: 'order without an id' });
  await panel.getByRole('button', { name: 'Edit and resubmit' }).click();
  expect(await panel.getByLabel('Corrected payload').inputValue()).toBe('"no record"');
  await panel.getByRole('button', { name: 'Cancel' }).click();
  await panel.getByRole('button', { name: 'Skip', exact: true }).waitFor();
  expect(await panel.getByRole('button', { name: 'Retry' }).count()).toBe(0);
});
