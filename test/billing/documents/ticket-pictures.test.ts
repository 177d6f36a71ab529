import { expect, test } from '@jest/globals';
import sharp from 'sharp';
import { upload } from '../../files/form.ts';
import { approveLoads, event, hauled, invoiceOf, makeBooks } from '../books.ts';
import { settle } from '../settled.ts';
import { pagesOf } from './printed.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

const books = makeBooks();
const order = { customer_rate_value: 5, customer_rate_type: 'RatePerTon' };
const profile = (body: object) =>
  books.biller.must('PATCH', books.biller.path(`/accounts/${books.tenant.account.id}/billing_profile`), body);
const printed = async ({ id }: Json): Promise<Buffer> => {
  const headers = { Authorization: `Bearer ${books.biller.token}` };
  const answer = await fetch(books.app.url + books.biller.path(`/settlements/${id}/pdf`), { headers });
  expect(answer.status).toBe(200);
  return Buffer.from(await answer.arrayBuffer());
};
const imagesIn = (pdf: Buffer): number => pdf.toString('latin1').match(/\/Subtype \/Image/g)?.length ?? 0;

/** An approved invoice of two loads; there is a picture of the first one's ticket. */
async function pictured(): Promise<{ invoice: Json; tickets: Json[] }> {
  const { app, biller, tenant } = books;
  const job = await hauled(books, ['10', '11'], { order });
  const found: Json[] = await tenant.must('GET', `/v1/jobs/${job.id}/tickets`);
  const tickets = found.toSorted((a, b) => Number(a.quantity) - Number(b.quantity));
  const slip = await sharp({ create: { width: 300, height: 500, channels: 3, background: 'white' } })
    .jpeg()
    .toBuffer();
  const image = await upload(app, tenant.token, slip, 'slip.jpg', 'image/jpeg');
  await tenant.must('POST', `/v1/tickets/${tickets[0].id}/image`, { image });
  await approveLoads(biller, job);
  const { id } = await invoiceOf(books, job.id);
  const { body } = await event(biller, id, 'approve');
  return { invoice: body.data, tickets };
}

test('B1, B11: the pictures of tickets are printed behind a settlement if its customer wants them, each under its number', async () => {
  const { biller } = books;
  const { invoice, tickets } = await pictured();
  const settlement = await settle(books, [invoice]);
  const plain = await printed(settlement);
  expect([(await pagesOf(plain)).length, imagesIn(plain)]).toEqual([1, 0]);
  await profile({ attachments: true });
  const pdf = await printed(settlement);
  const pages = await pagesOf(pdf);
  expect([pages.length, imagesIn(pdf)]).toEqual([2, 1]);
  expect(pages[0]).toContain('Page 1 of 2');
  for (const part of [`Ticket ${tickets[0].ticket_number}`, 'Page 2 of 2']) expect(pages[1]).toContain(part);
  // Equal documents are equal bytes.
  expect((await printed(settlement)).equals(pdf)).toBe(true);
  // An approved settlement stays as it is.
  await biller.must('PUT', biller.path(`/settlements/${settlement.id}/approve`), {});
  await profile({ attachments: false });
  expect(imagesIn(await printed(settlement))).toBe(1);
});

test('a picture whose bytes are gone is named, and the bill is one all the same', async () => {
  const { app } = books;
  await profile({ attachments: true });
  const { invoice, tickets } = await pictured();
  const settlement = await settle(books, [invoice]);
  await books.app.settled();
  const [row] = (await app.orm.em.fork().execute('select image_id, preview_id from ticket where id = ?', [tickets[0].id])) as [Json];
  await app.orm.em
    .fork()
    .execute('update ticket set preview_id = ?, image_id = ? where id = ?', [
      ...['00000000-0000-4000-8000-000000000001', '00000000-0000-4000-8000-000000000002'],
      tickets[0].id,
    ]);
  const pages = await pagesOf(await printed(settlement));
  expect(pages[1]).toContain('This file cannot be shown here.');
  await app.orm.em
    .fork()
    .execute('update ticket set preview_id = ?, image_id = ? where id = ?', [...[row.preview_id, row.image_id], tickets[0].id]);
  await profile({ attachments: false });
});

test('B1: each ticket has a line of its own with its number, whatever form is asked for', async () => {
  const { biller } = books;
  const { invoice, tickets } = await pictured();
  const usual = await settle(books, [invoice]);
  expect(usual.settlement_line_item_type).toBe('order');
  await biller.must('PUT', biller.path(`/settlements/${usual.id}/void`), {});
  await profile({ ticket_number_per_line: true });
  const settlement = await settle(books, [invoice], { settlement_line_item_type: 'order' });
  expect(settlement.settlement_line_item_type).toBe('load');
  const text = (await pagesOf(await printed(settlement))).join('\n');
  for (const { ticket_number } of tickets) expect(text).toContain(`Tickets ${ticket_number}`);
  for (const amount of ['50.00', '55.00', '105.00']) expect(text).toContain(amount);
  // Billed anew, it is printed as what it takes the place of.
  await biller.must('PUT', biller.path(`/settlements/${settlement.id}/void`), {});
  await profile({ ticket_number_per_line: false });
  expect((await biller.must('POST', biller.path(`/settlements/${settlement.id}/rebill`))).settlement_line_item_type).toBe('load');
});
