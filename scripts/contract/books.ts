import { FakeProvider } from '../../test/telematics/fake-provider.ts';
import { call, callGraphQL } from '../real/product.ts';
import type { Doors } from './doors.ts';
import type { Operation } from './facts.ts';
import type { Stage, Staged } from './stage.ts';
import type { World } from './world.ts';

interface Access {
  url: string;
  token: string;
}
/** Which create work, and people. */
interface Helpers {
  stage: Stage;
  doors: Doors;
}
interface Invoice {
  id: string;
  job: string;
  order: string;
}

/** The price of the only load of each job. */
const PRICES = {
  ...{ customer_rate_value: 100, customer_rate_type: 'RatePerLoad' },
  ...{ driver_rate_value: 60, driver_rate_type: 'RatePerLoad' },
};
/** A rate card of rates. */
const PER_HOUR = { type: 'RatePerHour', time_rate: 5, time_minimum_minutes: 0, time_increment_minutes: 0 };
/** The events that an invoice or a settlement must have had before one is called. */
const BEFORE_INVOICE: Record<string, string[]> = {
  unapprove: ['approve'],
  pay: ['approve'],
  export: ['approve'],
  send_invoice: ['approve'],
  customer_approve: ['approve', 'send_invoice'],
  customer_pay: ['approve', 'send_invoice'],
};
const BEFORE_SETTLEMENT: Record<string, string[]> = {
  unapprove: ['approve'],
  pay: ['approve'],
  export: ['approve'],
  undo_pay: ['approve', 'pay'],
  rebill: ['void'],
  rebill_rates: ['void', 'rebill'],
  send_settlement: ['approve'],
  customer_approve: ['approve', 'send_settlement'],
  customer_pay: ['approve', 'send_settlement'],
};
/** The lists of the accounting system. */
const LISTS: Record<string, object[]> = {
  customers: [{ id: 'C1', name: 'Contract customer' }],
  vendors: [{ id: 'V1', name: 'Contract vendor' }],
  items: [{ id: 'I1', name: 'Contract item' }],
  ledger_accounts: [{ id: 'L1', name: 'Contract ledger account', type: 'AccountsReceivable' }],
};

/** Creates what operations of billing act on: new, and in the right state. */
export class Books {
  readonly #access: Access;
  readonly #stage: Stage;
  readonly #doors: Doors;
  readonly #world: World;
  readonly #system: FakeProvider;
  readonly #customer: string;
  #shared: string | undefined;
  #linked: Promise<string> | undefined;

  private constructor(access: Access, { stage, doors }: Helpers, world: World, system: FakeProvider, customer: string) {
    this.#access = access;
    this.#stage = stage;
    this.#doors = doors;
    this.#world = world;
    this.#system = system;
    this.#customer = customer;
  }

  /** Connects a customer who gets what is sent, and starts an accounting system. */
  static async open(access: Access, helpers: Helpers, world: World): Promise<Books> {
    const system = await new FakeProvider().start();
    system.answer = ({ method, path }) => (method === 'POST' ? { id: 'D1' } : { data: LISTS[path.slice(1)] ?? [] });
    const { id } = await call<{ id: string }>(access.url, world.platformAdmin, 'POST', '/v1/accounts/connected', {
      sender_company_id: world.companyId,
      receiver_company_id: world.customerCompanyId,
      sender_account_types: ['customer'],
    });
    return new Books(access, helpers, world, system, id);
  }

  close(): Promise<void> {
    return this.#system.stop();
  }

  /** Returns nothing for operations that are not of billing, or that work on any record. */
  async of({ method, path }: Operation): Promise<Staged | undefined> {
    const [, kind = '', act = ''] = /\/([a-z_]+)\/\{[^}]*\}\/?([a-z_/]*)$/.exec(path) ?? [];
    const last = path.split('/').at(-1)!;
    if (/\/jobs\/\{[^}]*\}\/(payable|receivable|pay)$/.test(path)) return this.#billedJob(last);
    if (path.endsWith('/driver_days/{driver-day-id}/payable')) return this.#paidDay();
    if (path.includes('/invoices/{')) return this.#ofInvoice(last, act);
    if (path.includes('/settlements')) return this.#ofSettlement(method, path, last);
    if (path.startsWith('/v1/integrations/')) return this.#ofSystem(method, path, kind);
    if (path.endsWith('/fuel_surcharge_rate')) return { ids: { add_ons: await this.#fuelAddOn() } };
    if (path.includes('/fuel_')) return this.#ofFuel(path, last);
    if (path.includes('auto_add_on')) return this.#ofAutoAddOns(method, path, kind);
    if (path.includes('/add_on_charges/{')) return { ids: { add_on_charges: await this.#charge() } };
    if (path.includes('/report')) return this.#ofReports(method, path);
    return undefined;
  }

  async #ofInvoice(last: string, act: string): Promise<Staged> {
    const { id } = await this.#invoice(BEFORE_INVOICE[last] ?? [], last.includes('send') || last.includes('customer'));
    const ids = { invoice: id, invoices: id };
    if (last.startsWith('customer_')) return { ids: { ...ids, company: this.#world.customerCompanyId }, token: this.#world.platformAdmin };
    if (last === '{id}') return { ids, body: { rate_value: 90, rate_type: 'RatePerLoad' } };
    if (act === 'invoice_line_items') {
      const [line] = await this.#ask<{ id: string }[]>('GET', `${this.#company}/invoices/${id}/invoice_line_items`);
      return { ids, body: { invoice_line_items: [{ id: line!.id, rate: 95 }] } };
    }
    if (act === 'invoice_line_items/generate') return { ids, body: { rate_value: 90, rate_type: 'RatePerLoad' } };
    return act === 'add_on_charges' ? { ids, body: { add_on_charges: [{ name: 'Contract charge', quantity: 1, rate: 5 }] } } : { ids };
  }

  async #ofSettlement(method: string, path: string, last: string): Promise<Staged> {
    if (last === 'settlements') return { body: { invoice_ids: [(await this.#invoice(['approve'])).id] } };
    if (!path.includes('/settlements/{')) return { body: { bulk_create_for: ['customers'] } };
    if (method === 'GET') {
      this.#shared ??= (await this.#settlement([])).id;
      return { ids: { settlement: this.#shared, settlements: this.#shared } };
    }
    if (last === 'export') await this.#account();
    const sent = last.startsWith('customer_') || last.startsWith('send');
    const { id, invoice } = await this.#settlement(BEFORE_SETTLEMENT[last] ?? [], sent);
    const ids = { settlement: id, settlements: id };
    if (last.startsWith('customer_')) return { ids: { ...ids, company: this.#world.customerCompanyId }, token: this.#world.platformAdmin };
    if (last === 'rebill_rates') return { ids, body: { data: [{ invoice_id: invoice, rebill_rate_value: 110 }] } };
    if (last === '{id}') return { ids, body: { include_loads_in_pdf: true } };
    return last === 'add_on_charges' && method === 'PATCH'
      ? { ids, body: { add_on_charges: [{ name: 'Contract charge', quantity: 1, rate: 5 }] } }
      : { ids };
  }

  async #ofSystem(method: string, path: string, kind: string): Promise<Staged> {
    if (path.endsWith('/link_tokens')) return {};
    if (method === 'POST') return { body: { public_token: await this.#publicToken() } };
    const account = method === 'DELETE' ? await this.#link() : await this.#account();
    const ids = { 'linked-account': account, linked_accounts: account };
    if (method !== 'PATCH') return { ids };
    const [record] = await this.#ask<{ id: string }[]>('GET', `/v1/integrations/linked_accounts/${account}/${kind}`);
    return { ids: { [kind]: record!.id }, body: await this.#mapping(kind) };
  }

  /** Returns the mapping of a record of the accounting system to one here. */
  async #mapping(kind: string): Promise<object> {
    if (kind === 'ledger_accounts') return { type: 'AccountsReceivable' };
    if (kind === 'items') return { integration_itemizable_id: (await this.#addOn({})).id, integration_itemizable_type: 'AddOn' };
    const account_types = [kind === 'customers' ? 'customer' : 'vendor'];
    const { id } = await this.#ask<{ id: string }>('POST', '/v1/accounts', { name: `Contract ${kind}`, account_types });
    return kind === 'customers' ? { customer_account_id: id } : { vendor_account_id: id };
  }

  async #ofFuel(path: string, last: string): Promise<Staged> {
    const index = await this.#named('fuel_price_indices', {});
    if (path.endsWith('/fuel_price_indices')) return {};
    const price = async () => (await this.#ask<{ id: string }>('POST', `/v1/fuel_price_indices/${index}/fuel_prices`, priceOf())).id;
    if (path.includes('/fuel_prices/{')) return { ids: { fuel_prices: await price() } };
    if (path.includes('/fuel_price_indices')) return { ids: { 'fuel-price-index': index, fuel_price_indices: index } };
    if (last === 'fuel_surcharge_schedules') return { body: { fuel_price_index_id: index, surcharge_type: 'percentage' } };
    const schedule = await this.#schedule(index);
    if (!path.includes('/fuel_surcharge_schedule_prices/{'))
      return { ids: { 'fuel-surcharge-schedule': schedule, fuel_surcharge_schedules: schedule }, body: bodyOfSchedule(path, index) };
    const row = { price: 4, bill_surcharge: 5 };
    const { id } = await this.#ask<{ id: string }>('POST', `/v1/fuel_surcharge_schedules/${schedule}/fuel_surcharge_schedule_prices`, row);
    return { ids: { fuel_surcharge_schedule_prices: id } };
  }

  /** @returns an add-on whose rate follows the price of diesel */
  async #fuelAddOn(): Promise<string> {
    const index = await this.#named('fuel_price_indices', {});
    await this.#ask('POST', `/v1/fuel_price_indices/${index}/fuel_prices`, priceOf());
    const schedule = await this.#schedule(index);
    const row = { price: 3, bill_surcharge: 4 };
    await this.#ask('POST', `/v1/fuel_surcharge_schedules/${schedule}/fuel_surcharge_schedule_prices`, row);
    return (await this.#addOn({ revenue_cost_rate_type: 'FuelSurcharge', fuel_surcharge_schedule_id: schedule })).id;
  }

  async #ofAutoAddOns(method: string, path: string, kind: string): Promise<Staged> {
    const parent = path.split('/').findLast((part, i, all) => all[i + 1]?.startsWith('{') && part !== 'auto_add_ons')!;
    const ids = await this.#parent(parent);
    const values = { name: 'Contract add-on', add_on_types: ['driver_pay'], add_on_rate_type: 'RateForEach', rate: 1, quantity: 1 };
    const body = parent === 'accounts' ? { ...values, account_type: 'vendor' } : values;
    if (method === 'POST') return { ids, body };
    if (path.includes('/auto_add_on_assignments/{')) {
      const at = `/v1/drivers/${this.#world.dayDriverId}/auto_add_on_assignments`;
      return { ids: { auto_add_on_assignments: (await this.#ask<{ id: string }>('POST', at, values)).id }, body: {} };
    }
    if (method === 'GET') return { ids };
    // A rate that is removed was added for the side that the path names.
    const side = kind === 'auto_add_ons' && path.endsWith('customer_add_on') ? 'customer' : 'vendor';
    const type = parent === 'drivers' || side === 'vendor' ? 'driver_pay' : 'invoicing';
    const { id: add_on_id } = await this.#addOn({ add_on_types: [type] });
    const [whose] = Object.values(ids);
    const added = parent === 'accounts' ? { add_on_id, account_type: side } : { add_on_id };
    await this.#ask('POST', `/v1/${parent}/${whose}/auto_add_on_assignments`, added);
    return { ids: { ...ids, 'auto-add-on': add_on_id, auto_add_ons: add_on_id } };
  }

  /** @returns a record that has automatic add-ons, by the name of its parameter */
  async #parent(kind: string): Promise<Record<string, string>> {
    switch (kind) {
      case 'accounts':
        return { account: await this.#named('accounts', { account_types: ['customer', 'vendor'] }, '/v1/accounts') };
      case 'drivers':
        return { driver: this.#world.dayDriverId };
      case 'rates':
        return { rate: await this.#named('rates', { owner_type: 'vendor', ...PER_HOUR }, '/v1/rates') };
      case 'job_assignments':
        return { 'job-assignment': await this.#stage.assignment(this.#world.vendorId) };
      case 'site_rate_schedules':
        return { 'site-rate-schedule': await this.#stage.siteRateSchedule() };
      default:
        return {};
    }
  }

  async #ofReports(method: string, path: string): Promise<Staged> {
    if (method === 'GET' || path.endsWith('/report_categories')) return {};
    const category = await this.#named('report_categories', {});
    if (path.includes('/report_categories/')) return { ids: { report_categories: category } };
    const body = { name: `Contract report ${++made}`, dashboard_id: 'loads_by_day', report_category_id: category };
    if (method === 'POST') return { body };
    const { id } = await this.#ask<{ id: string }>('POST', `${this.#company}/reports`, body);
    return { ids: { reports: id }, body: { name: `Contract report ${++made}` } };
  }

  /** @returns a charge that was requested for a job */
  async #charge(): Promise<string> {
    const { job } = await this.#stage.approvedJob(PRICES);
    const body = { name: 'Contract charge', quantity: 1, rate: 5 };
    return (await this.#ask<{ id: string }>('POST', `/v1/jobs/${job}/add_on_charges`, body)).id;
  }

  async #billedJob(last: string): Promise<Staged> {
    if (last !== 'pay') return { ids: { job: (await this.#invoice([], false, last)).job } };
    const { id, job } = await this.#invoice([], false, 'payable');
    await this.#ask('PUT', `/v1/jobs/${job}/approve`, {});
    await this.#ask('PUT', `${this.#company}/jobs/${job}/sign_off`, {});
    await this.#ask('PUT', `${this.#company}/invoices/${id}/approve`);
    return { ids: { job } };
  }

  /** The shift of a driver whose days are paid. */
  async #paidDay(): Promise<Staged> {
    const token = await this.#doors.newDriver();
    const asDriver = <T>(method: string, path: string) =>
      call<T>(this.#access.url, token, method, `/v1/users/me${path}`, method === 'GET' ? undefined : {});
    const { id } = await asDriver<{ id: string }>('GET', '');
    const payBy = 'mutation($id: ID!) { updateUser(id: $id, input: { payBy: driver_day }) { id } }';
    await callGraphQL(this.#access.url, this.#access.token, payBy, { id });
    for (const state of ['on_duty', 'off_duty']) await asDriver('PUT', `/driver_state/${state}`);
    const [day] = await this.#ask<{ id: string }[]>('GET', `${this.#company}/driver_days?filter%5Bdriver_ids%5D%5B%5D=${id}`);
    await this.#until(`/v1/driver_days/${day!.id}/payable`, () => true);
    return { ids: { 'driver-day': day!.id } };
  }

  /** @param sent to a customer on the platform */
  async #invoice(events: readonly string[], sent = false, side = 'receivable'): Promise<Invoice> {
    const ids = await this.#stage.approvedJob({ ...PRICES, ...(sent ? { account_id: this.#customer } : {}) });
    const { id } = await this.#until<{ id: string; state: string }>(`/v1/jobs/${ids.job}/${side}`, ({ state }) => state === 'pending');
    for (const event of events) await this.#ask('PUT', `${this.#company}/invoices/${id}/${event}`, event === 'approve' ? undefined : {});
    return { ...ids, id };
  }

  async #settlement(events: readonly string[], sent = false): Promise<{ id: string; invoice: string }> {
    const { id: invoice } = await this.#invoice(['approve'], sent);
    const made = await this.#ask<{ id: string }>('POST', `${this.#company}/settlements`, { invoice_ids: [invoice] });
    let { id } = made;
    for (const event of events) {
      const at = `${this.#company}/settlements/${id}/${event}`;
      if (event === 'rebill') ({ id } = await this.#ask<{ id: string }>('POST', at));
      else await this.#ask('PUT', at, {});
    }
    return { id, invoice };
  }

  /** @returns the accounting system whose lists were read */
  #account(): Promise<string> {
    this.#linked ??= (async () => {
      const id = await this.#link();
      await this.#until<object[]>(`/v1/integrations/linked_accounts/${id}/ledger_accounts`, ({ length }) => length > 0);
      return id;
    })();
    return this.#linked;
  }

  async #link(): Promise<string> {
    const public_token = await this.#publicToken();
    return (await this.#ask<{ id: string }>('POST', '/v1/integrations/linked_accounts', { public_token })).id;
  }

  /** Sends the set-up page of an accounting system. */
  async #publicToken(): Promise<string> {
    const { link_token } = await this.#ask<{ link_token: string }>('POST', '/v1/integrations/link_tokens', {});
    const response = await fetch(`${this.#access.url}/accounting/setup/${link_token}`, {
      method: 'POST',
      headers: { accept: 'application/json', 'content-type': 'application/json' },
      body: JSON.stringify({ system: 'http', name: `Contract books ${++made}`, server: this.#system.url, token: 'of the books' }),
    });
    if (!response.ok) throw new Error(`the set-up page: ${response.status} ${await response.text()}`);
    return ((await response.json()) as { public_token: string }).public_token;
  }

  async #named(kind: string, more: object, path = `${this.#company}/${kind}`): Promise<string> {
    return (await this.#ask<{ id: string }>('POST', path, { name: `Contract ${kind} ${++made}`, ...more })).id;
  }
  #schedule(fuel_price_index_id: string): Promise<string> {
    return this.#named('fuel_surcharge_schedules', { fuel_price_index_id, surcharge_type: 'percentage' });
  }
  #addOn(more: object): Promise<{ id: string }> {
    return this.#ask('POST', '/v1/add_ons', { name: `Contract add-on ${++made}`, add_on_types: ['invoicing'], ...more });
  }

  get #company(): string {
    return `/v1/companies/${this.#world.companyId}`;
  }
  #ask<T>(method: string, path: string, body?: object): Promise<T> {
    return call<T>(this.#access.url, this.#access.token, method, path, body);
  }

  /** Asks until the workers have done their part. */
  async #until<T>(path: string, isDone: (data: T) => boolean): Promise<T> {
    let last: unknown;
    for (let tried = 0; tried < 200; tried++) {
      try {
        const data = await this.#ask<T>('GET', path);
        if (isDone(data)) return data;
        last = data;
      } catch (error) {
        last = error;
      }
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    throw new Error(`${path} did not become what was expected: ${last instanceof Error ? last.message : JSON.stringify(last)}`);
  }
}

/** A new row of a schedule has a price of its own, and a schedule an index. */
function bodyOfSchedule(path: string, index: string): object {
  return path.endsWith('/fuel_surcharge_schedule_prices')
    ? { price: 4, bill_surcharge: 5 }
    : { fuel_price_index_id: index, surcharge_type: 'percentage' };
}
const priceOf = () => ({ date: new Date().toISOString().slice(0, 10), price: 4.1 });

let made = 0;
