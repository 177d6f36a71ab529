import { expect, test } from '@jest/globals';
import { accountingSettings } from '../../../src/billing/accounting/settings.ts';
import { makeStaffedTenant } from '../../helpers/staffed-tenant.ts';
import { FakeProvider } from '../../telematics/fake-provider.ts';
import { billerOf, event, makeBooks, messages } from '../books.ts';
import { approvedInvoice } from '../settled.ts';

const books = makeBooks({ worker: true });
const order = { customer_rate_value: 5, customer_rate_type: 'RatePerTon' };

test('what somebody entered in accounting by itself is not voided: nothing takes it back there, and a supplement bills the difference', async () => {
  const invoice = await approvedInvoice(books, ['10'], { order });
  expect(invoice.state_events).toContain('void');
  const exported = (await event(books.biller, invoice.id, 'export')).body.data;
  expect([exported.state, exported.state_events]).toEqual(['exported', ['pay']]);
  const refused = await event(books.biller, invoice.id, 'void');
  expect([refused.status, messages(refused)]).toEqual([409, ['was handed to accounting; bill what is wrong of it by a supplement']]);
  expect((await event(books.biller, invoice.id, 'pay')).status).toBe(200);
  expect((await event(books.biller, invoice.id, 'void')).status).toBe(409);
  const rate = { rate_value: 4, rate_type: 'RatePerTon' };
  const supplement = await books.biller.must('POST', books.biller.path(`/invoices/${invoice.id}/supplements`), rate);
  expect(supplement).toMatchObject({ state: 'pending', total_amount: '-10' });
});

test('while a system is linked, an invoice is exported with its settlement alone', async () => {
  const tenant = await makeStaffedTenant(books.app);
  const own = { ...books, tenant, biller: await billerOf(tenant) };
  const admin = await tenant.administrator();
  books.app.application.provide(accountingSettings, { privateHosts: true, timeout: 2_000 });
  const system = await new FakeProvider().start();
  system.answer = () => ({ data: [] });
  try {
    const invoice = await approvedInvoice(own, ['10'], { order });
    const { link_token } = await tenant.must('POST', '/v1/integrations/link_tokens', {}, admin);
    const { body } = await books.app.http('POST', `/accounting/setup/${link_token}`, {
      body: { system: 'http', name: 'Books', server: system.url, token: 'secret-of-books' },
      headers: { accept: 'application/json' },
    });
    const linked = await tenant.must('POST', '/v1/integrations/linked_accounts', { public_token: body.public_token }, admin);
    await books.app.settled();
    const refused = await event(own.biller, invoice.id, 'export');
    const sentence = 'is exported with its settlement, because an accounting system is linked: settle it, and export that';
    expect([refused.status, messages(refused)]).toEqual([409, [sentence]]);
    expect((await own.biller.must('GET', `/v1/jobs/${invoice.job.id}/receivable`)).state).toBe('approved');
    await tenant.must('DELETE', `/v1/integrations/linked_accounts/${linked.id}`, undefined, admin);
    expect((await event(own.biller, invoice.id, 'export')).body.data.state).toBe('exported');
  } finally {
    await system.stop();
  }
});
