import { accountingSettings } from '../../../src/billing/accounting/settings.ts';
import { type Asked, FakeProvider, type Reply } from '../../telematics/fake-provider.ts';
import type { Books } from '../books.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

const LISTS: Record<string, object[]> = {
  '/customers': [{ id: 'C-1', name: 'Somebody else' }],
  '/items': [
    { id: 'I-1', name: 'Stones' },
    { id: 'I-2', name: 'Other stones' },
  ],
};

/** An accounting system of somebody else that takes documents, and the customer of a company there. */
export class LinkedSystem {
  /** The documents that it has, by key. */
  readonly got = new Map<string, { id: string; document: Json }>();
  /** Does something else with a document than taking it. */
  disturb: (document: Json, asked: Asked) => Reply | undefined = () => undefined;
  readonly #books: Books;
  readonly #provider = new FakeProvider();
  #admin = '';
  #linked = '';

  constructor(books: Books) {
    this.#books = books;
  }

  /** Starts the system, and links the company. Nobody of it is mapped. */
  async start(): Promise<this> {
    const { app, tenant } = this.#books;
    app.application.provide(accountingSettings, { privateHosts: true, timeout: 2_000 });
    await this.#provider.start();
    this.#provider.answer = (asked) => {
      if (asked.method === 'GET') return { data: LISTS[asked.path] ?? [] };
      const document = JSON.parse(asked.body);
      return this.disturb(document, asked) ?? { id: this.take(document) };
    };
    this.#admin = await tenant.administrator();
    const { link_token } = await tenant.must('POST', '/v1/integrations/link_tokens', {}, this.#admin);
    const { body } = await app.http('POST', `/accounting/setup/${link_token}`, {
      body: { system: 'http', name: 'Books', server: this.#provider.url, token: 'secret-of-books' },
      headers: { accept: 'application/json' },
    });
    const made = await tenant.must('POST', '/v1/integrations/linked_accounts', { public_token: body.public_token }, this.#admin);
    this.#linked = made.id;
    await app.settled();
    return this;
  }

  /** Of the linked account. */
  get id(): string {
    return this.#linked;
  }

  stop = (): Promise<void> => this.#provider.stop();
  unlink = (): Promise<Json> =>
    this.#books.tenant.must('DELETE', `/v1/integrations/linked_accounts/${this.#linked}`, undefined, this.#admin);

  /** Takes a document: the same key is the same document. @returns what it calls it */
  take(document: Json): string {
    const key = `${document.id}:${document.revision}`;
    const known = this.got.get(key) ?? { id: `DOC-${this.got.size + 1}`, document };
    this.got.set(key, known);
    return known.id;
  }

  /** Says which item a service is there. */
  async mapItem(key: string, serviceId: string | null): Promise<void> {
    const { tenant } = this.#books;
    const items: Json[] = await tenant.must('GET', `/v1/integrations/linked_accounts/${this.#linked}/items`, undefined, this.#admin);
    const { id } = items.find(({ external_key }) => external_key === key);
    const as = { integration_itemizable_type: serviceId && 'Service', integration_itemizable_id: serviceId };
    await tenant.must('PATCH', `/v1/integrations/items/${id}`, as, this.#admin);
  }

  /** Says who the customer of the company is there, or another one. */
  async map(accountId: string = this.#books.tenant.account.id): Promise<void> {
    const { tenant } = this.#books;
    const [customer] = await tenant.must('GET', `/v1/integrations/linked_accounts/${this.#linked}/customers`, undefined, this.#admin);
    await tenant.must('PATCH', `/v1/integrations/customers/${customer.id}`, { customer_account_id: accountId }, this.#admin);
  }

  /** The documents that it has of a number. */
  numbered = (number: string): Json[] => [...this.got.values()].flatMap(({ document }) => (document.number === number ? [document] : []));
}
