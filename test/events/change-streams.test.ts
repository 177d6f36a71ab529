import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startTestApp, type TestApp } from '../helpers/app.ts';
import { makeOrder, makeTenant, type Tenant } from '../helpers/tenant.ts';
import { endOf, feedOf } from './follower.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

let app: TestApp;
let tenant: Tenant;
beforeAll(async () => {
  app = await startTestApp({ shared: true });
  tenant = await makeTenant(app);
});
afterAll(() => app.close());

const sql = (text: string, values: unknown[] = []) => app.orm.em.fork().getConnection().execute<Json[]>(text, values);
const said = ({ data }: Json): string[] => data.map(({ type, event, state }: Json) => `${type} ${event} ${state}`);

test('whoever waits is answered as soon as something changes that they may see', async () => {
  const start = await endOf(tenant);
  const waiting = feedOf(tenant, `?after=${start}&types=Material&wait=20`);
  const twin = tenant.gql('query ($after: String) { changes(after: $after, types: [Material], wait: 20) { nodes { type } } }', {
    after: start,
  });
  await makeOrder(tenant);
  await tenant.must('POST', '/v1/materials', { name: 'Sand' });
  const answer = await waiting;
  expect([answer.status, said(answer.body)]).toEqual([200, ['Material create active']]);
  expect((await twin).data.changes.nodes).toEqual([{ type: 'Material' }]);
  const { body } = await feedOf(tenant, `?after=${answer.body.meta.position}&types=Settlement&wait=1`);
  expect(body.data).toEqual([]);
});

test('as a stream of events it goes on where the client was', async () => {
  const start = await endOf(tenant);
  const order = await makeOrder(tenant);
  const streamed = await Stream.open(start);
  const [event] = await streamed.next(1);
  expect(event).toMatchObject({ event: 'create', id: event!.data.position });
  expect(event!.data).toMatchObject({ type: 'Order', id: order.id, record: { id: order.id } });
  const changed = streamed.next(1);
  await tenant.must('PATCH', tenant.path(`/orders/${order.id}`), { notes: 'third' });
  expect((await changed)[0]!.data.record.notes).toBe('third');
  await streamed.close();
  await tenant.must('PUT', tenant.path(`/orders/${order.id}/accept`));
  // Clients connect again at the address of the beginning, where an older position may be.
  const again = await Stream.open(event!.id, tenant.token, `&after=${start}`);
  expect((await again.next(2)).map(({ data }) => data.event)).toEqual(['update', 'state_change']);
  await again.close();
});

test('a wrong place to go on from is named where the client wrote it', async () => {
  const start = await endOf(tenant);
  const read = (headers: Record<string, string>, query: string) =>
    app.http('GET', tenant.path(`/changes?${query}`), { token: tenant.token, headers: { Accept: 'text/event-stream', ...headers } });
  for (const [headers, query, field] of [
    [{ 'Last-Event-ID': 'yesterday' }, `after=${start}`, 'Last-Event-ID'],
    [{}, 'after=yesterday', 'after'],
  ] as const) {
    const { status, body } = await read(headers, query);
    expect([status, body.error.errors.map((one: Json) => one.field)]).toEqual([422, [field]]);
  }
  const old = await read({ 'Last-Event-ID': start.replace(/-.*/, '-0123456789ab') }, '');
  expect([old.status, old.headers.get('link')]).toEqual([410, `<${tenant.path('/changes/snapshot')}>; rel="start"`]);
});

test("a stream ends when its reader's rights change, and when their session ends", async () => {
  const watcher = await tenant.person({ roles: ['dispatcher'] });
  const changed = await Stream.open(await endOf(tenant, watcher.token), watcher.token);
  await sql(`update app_user set roles = '{biller}' where id = ?`, [watcher.id]);
  const [gone] = await changed.next(1, ['gone']);
  expect(gone!.data).toEqual({ reason: 'rights_changed', begin: tenant.path('/changes/snapshot') });
  expect(await changed.ended()).toBe(true);
  const ended = await Stream.open(await endOf(tenant, watcher.token), watcher.token);
  await sql('update user_session set revoked_at = now() where user_id = ?', [watcher.id]);
  const [end] = await ended.next(1, ['end']);
  expect(end!.data).toEqual({ reason: 'unauthorized' });
});

interface Sent {
  id: string;
  event: string;
  data: Json;
}

/** Server-sent events of orders, or what ends them. */
class Stream {
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>;
  readonly #stop: AbortController;
  #text = '';

  static async open(position: string, token = tenant.token, more = ''): Promise<Stream> {
    const stop = new AbortController();
    const headers = { Accept: 'text/event-stream', Authorization: `Bearer ${token}`, 'Last-Event-ID': position };
    const answer = await fetch(`${app.url}${tenant.path(`/changes?types=Order${more}`)}`, { headers, signal: stop.signal });
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/event-stream; charset=utf-8']);
    return new Stream(answer.body!.getReader(), stop);
  }

  constructor(reader: ReadableStreamDefaultReader<Uint8Array>, stop: AbortController) {
    this.#reader = reader;
    this.#stop = stop;
  }

  /** The next events that say something. */
  async next(count: number, kinds = ['create', 'update', 'state_change']): Promise<Sent[]> {
    const found: Sent[] = [];
    while (found.length < count) {
      const at = this.#text.indexOf('\n\n');
      if (at < 0) {
        const { value, done } = await this.#reader.read();
        if (done) throw new Error('the stream has ended');
        this.#text += Buffer.from(value).toString();
        continue;
      }
      const lines = Object.fromEntries(
        this.#text
          .slice(0, at)
          .split('\n')
          .map((line) => line.split(/: (.*)/s) as [string, string]),
      );
      this.#text = this.#text.slice(at + 2);
      if (kinds.includes(lines.event!)) found.push({ id: lines.id!, event: lines.event!, data: JSON.parse(lines.data!) });
    }
    return found;
  }

  ended = async (): Promise<boolean> => (await this.#reader.read()).done;

  async close(): Promise<void> {
    this.#stop.abort();
    await this.#reader.cancel().catch(() => undefined);
  }
}
