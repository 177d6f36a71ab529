import { accountingSettings } from '../../../src/billing/accounting/settings.ts';
import { startTestApp, type TestApp } from '../../helpers/app.ts';
import { makeTenant, type Tenant } from '../../helpers/tenant.ts';
import { type Asked, FakeProvider, type Reply } from '../../telematics/fake-provider.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

/** The answers of a system for each list; one that is not named is empty. */
export type Lists = Record<string, object[] | ((asked: Asked) => Reply)>;

/** An application that imports lists of accounting systems, a company, and the system of somebody else. */
export class AccountingScene {
  app!: TestApp;
  tenant!: Tenant;
  readonly #systems: FakeProvider[] = [];

  async start(): Promise<void> {
    this.app = await startTestApp({ shared: true, worker: true });
    this.patience(10_000);
    this.tenant = await makeTenant(this.app);
  }

  async stop(): Promise<void> {
    await Promise.all(this.#systems.map((one) => one.stop()));
    await this.app.close();
  }

  /** Milliseconds that a system may take. */
  patience(timeout: number, privateHosts = true): void {
    this.app.application.provide(accountingSettings, { privateHosts, timeout });
  }

  /** A system with these lists. What is in them may be changed later. */
  async system(lists: Lists): Promise<FakeProvider> {
    const system = await new FakeProvider().start();
    system.answer = (asked) => {
      const list = lists[asked.path.slice(1)] ?? [];
      return Array.isArray(list) ? { data: list } : list(asked);
    };
    this.#systems.push(system);
    return system;
  }

  /** Sends the set-up page. @returns its answer */
  async setUp(body: object, as?: string): Promise<{ status: number; body: Json }> {
    const { link_token } = await this.tenant.must('POST', '/v1/integrations/link_tokens', {}, as);
    return this.app.http('POST', `/accounting/setup/${link_token}`, { body, headers: { accept: 'application/json' } });
  }

  /** Links a system. @returns the linked account, before its lists were read or after */
  async link(body: object): Promise<Json> {
    const { public_token } = (await this.setUp(body)).body;
    return this.tenant.must('POST', '/v1/integrations/linked_accounts', { public_token });
  }

  /** Links a system, and waits until its lists were read. */
  async linked(system: FakeProvider, more: object = {}): Promise<Json> {
    const { id } = await this.link({ system: 'http', name: 'Books', server: system.url, token: 'secret-of-books', ...more });
    await this.app.settled();
    return this.account(id);
  }

  /** Has the lists read again, and waits for it. */
  async imported(id: string): Promise<Json> {
    await this.tenant.must('PUT', `/v1/integrations/linked_accounts/${id}/import`, {});
    await this.app.settled();
    return this.account(id);
  }

  /** Lets what failed be tried again now. */
  async tryAgain(id: string): Promise<Json> {
    await this.sql('update linked_account set next_import_at = now() where id = ?', [id]);
    await this.app.settled();
    return this.account(id);
  }

  account = async (id: string): Promise<Json> =>
    (await this.tenant.must('GET', '/v1/integrations/linked_accounts?page[limit]=100')).find((one: Json) => one.id === id);

  /** The records of a list, by their ids in the system. */
  list = async (id: string, kind: string): Promise<Json[]> =>
    (await this.tenant.must('GET', `/v1/integrations/linked_accounts/${id}/${kind}`)).toSorted((a: Json, b: Json) =>
      a.external_key < b.external_key ? -1 : 1,
    );

  sql = (text: string, values: unknown[] = []): Promise<Json[]> => this.app.orm.em.execute(text, values);
}
