import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { ref } from '@mikro-orm/core';
import { Equipment } from '../../../src/directory/equipment/equipment.entity.ts';
import { EquipmentType } from '../../../src/directory/equipment/equipment-type.entity.ts';
import { type Answer, startTestApp, type TestApp } from '../../helpers/app.ts';
import { type Dice, dice, seedOf, sweepRuns } from '../../helpers/properties.ts';
import { makeTenant, type Tenant } from '../../helpers/tenant.ts';
import { orderMeant, orderShown, projectMeant, projectShown, sqlOf, ticketMeant, ticketsShown, workOf } from './state.ts';
import { drawPlan, drawWord, type Kind, type Plan, spell, type Word } from './words.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ worker: true });
});
afterAll(() => app.close());

/** A company to which is sent, and everything that was. */
class Scene {
  readonly words: Word[] = [];
  readonly #spelt: { kind: Kind; payload: Json }[] = [];
  readonly batches: { id: string; kind: Kind; size: number }[] = [];

  constructor(
    readonly tenant: Tenant,
    readonly plan: Plan,
    readonly d: Dice,
  ) {}

  /** Returns an element that says something new. */
  say(word: Word): Json {
    const payload = spell(this.d, this.plan, word, this.words.push(word) - 1);
    this.#spelt.push({ kind: word.kind, payload });
    return payload;
  }

  /** Draws a request, of which some elements were sent before. */
  request(): { kind: Kind; elements: Json[] } {
    const { d, plan } = this;
    const kind = d.of<Kind>(['orders', 'orders', 'projects', 'tickets', 'tickets']);
    const keys = kind === 'orders' ? [...plan.orders.keys()] : kind === 'projects' ? plan.projects : [...plan.tickets.keys()];
    const said = this.#spelt.filter((one) => one.kind === kind);
    const elements = Array.from({ length: 1 + d.below(8) }, (_, at) => {
      const again = at > 0 && d.chance(0.3) && said.length > 0;
      return again ? d.of(said).payload : this.say(drawWord(d, plan, kind, d.of(keys)));
    });
    return { kind, elements: d.chance(0.2) ? [...elements, elements.at(-1)] : elements };
  }

  /** Sends elements until they are acknowledged. */
  async send(kind: Kind, elements: Json[], headers: Record<string, string> = {}): Promise<void> {
    const { status, body } = await app.http('POST', `/ingest/${kind}`, { token: this.tenant.token, body: { [kind]: elements }, headers });
    if (status !== 202) throw new Error(`${status} ${JSON.stringify(body)}`);
    expect(body.data.records.length).toBe(elements.length);
    this.batches.push({ id: body.data.batch_id, kind, size: elements.length });
  }

  /** Waits until nothing is due. */
  async settled(): Promise<void> {
    for (;;) {
      await app.settled();
      const due = await sqlOf(app, 'select from import_task where company_id = $1 and next_attempt_at <= now() limit 1', [
        this.tenant.company.id,
      ]);
      if (due.length === 0) return;
    }
  }

  /** Dispatch gives each job its truck: the first one of an order, the second one. */
  async giveTrucks(trucks: readonly Equipment[]): Promise<void> {
    const jobs = await sqlOf(
      app,
      `select * from (select j.id, j.equipment_id, row_number() over (partition by j.order_id order by j.number)::int as place
         from job j join orders o on o.id = j.order_id where o.company_id = $1 and o.state <> 'canceled' and o.external_id not like 'F-%') j where equipment_id is null`,
      [this.tenant.company.id],
    );
    for (const { id, place } of jobs) await this.tenant.must('PATCH', `/v1/jobs/${id}`, { equipment_id: trucks[place - 1]!.id });
  }

  /** All imported records in the order of their receipt, each as the pages of its batch show it. */
  async records(): Promise<Json[]> {
    const all: Json[] = [];
    for (const { id, size } of this.batches) {
      const limit = this.d.of([3, 100]);
      let path: string | undefined = `/ingest/batches/${id}/records?page%5Blimit%5D=${limit}`;
      const records: Json[] = [];
      while (path) {
        const { status, body, headers }: Answer = await app.http('GET', path, { token: this.tenant.token });
        expect([path, status]).toEqual([path, 200]);
        records.push(...body.data);
        path = /<[^>]*?(\/ingest[^>]*)>; rel="next"/.exec(headers.get('link') ?? '')?.[1];
      }
      expect(records.map(({ batch_index }) => batch_index)).toEqual(Array.from({ length: size }, (_, at) => at));
      const batch = await this.tenant.must('GET', `/ingest/batches/${id}`);
      const { warned: _, ...counts } = batch.counts;
      expect([batch.settled, batch.record_count, Object.values(counts).reduce((sum: number, n: Json) => sum + n, 0)]).toEqual([
        true,
        size,
        size,
      ]);
      const { data } = await this.tenant.gql(GQL, { id });
      expect(data.importBatchRecords.nodes).toEqual(
        records.map(({ id: of, state, last_error, result_id, superseded_by }) => ({
          ...{ id: of, state, lastError: last_error, resultId: result_id, supersededBy: superseded_by },
        })),
      );
      all.push(...records);
    }
    const order = await sqlOf(app, 'select id from imported_record where company_id = $1 order by sequence', [this.tenant.company.id]);
    const byId = new Map(all.map((record) => [record.id, record]));
    expect(order.length).toBe(all.length);
    return order.map(({ id }) => byId.get(id));
  }
}

const GQL = 'query($id: ID!) { importBatchRecords(id: $id, first: 100) { nodes { id state lastError resultId supersededBy } } }';

async function makeScene(plan: Plan, d: Dice): Promise<{ scene: Scene; trucks: Equipment[] }> {
  const tenant = await makeTenant(app);
  const company = ref(tenant.company);
  const equipmentType = ref(await tenant.save(EquipmentType, { company, name: 'Tri-axle' }));
  const trucks = await Promise.all(
    [0, 1].map((n) => tenant.save(Equipment, { company, equipmentType, name: `Truck ${n}`, externalId: `TRK-${n}` })),
  );
  return { scene: new Scene(tenant, plan, d), trucks };
}

const isRight = (word: Word): boolean => word.wrong === undefined;

/** The word that counts of each key: of tickets the first that can be imported, of all else the last. */
function wordsThatCount(scene: Scene, records: readonly Json[]): Map<string, Word> {
  const words = new Map<string, Word>();
  for (const { metadata } of records) {
    const word = scene.words[metadata.word]!;
    const key = `${word.kind} ${word.key}`;
    if (word.kind !== 'tickets') words.set(key, word);
    else if (isRight(word) && !words.has(key)) words.set(key, word);
  }
  return words;
}

/** Says in the end of each order and project something that can be imported. */
async function close(scene: Scene): Promise<void> {
  const { plan, d } = scene;
  const words = wordsThatCount(scene, await scene.records());
  const needs = (kind: Kind, keys: Iterable<string>) =>
    [...keys].filter((key) => !words.has(`${kind} ${key}`) || words.get(`${kind} ${key}`)!.wrong);
  for (const [kind, keys] of [
    ['orders', needs('orders', plan.orders.keys())] as const,
    ['projects', needs('projects', plan.projects)] as const,
  ])
    if (keys.length > 0)
      await scene.send(
        kind,
        keys.map((key) => scene.say(drawWord(d, plan, kind, key, true))),
      );
  await scene.settled();
}

/** Each record says what became of it, so that its sender knows what to do. */
async function expectReadable(scene: Scene, records: readonly Json[]): Promise<void> {
  const place = new Map(records.map(({ id }, at) => [id, at]));
  const shown = new Set<string>();
  for (const [at, record] of records.entries()) {
    const { state, last_error: error, result_id: result, superseded_by: by, imported_for: key, kind } = record;
    const word = scene.words[record.metadata.word]!;
    const about = JSON.stringify({ state, error, result, by, word });
    expect([about, ['processed', 'failed', 'skipped'].includes(state), key === word.key]).toEqual([about, true, true]);
    if (state === 'processed') expect([about, isRight(word), typeof result, error]).toEqual([about, true, 'string', null]);
    else if (state === 'failed') {
      const isTaken = /^ticket_number_taken: \/ticket_number: /.test(error);
      expect([about, isRight(word)]).toEqual([about, isTaken]);
      for (const line of error.split('\n')) expect(line).toMatch(/^[a-z_]+: (\/[\w/]+)?: \S/);
    } else expect([about, error]).toEqual([about, expect.stringMatching(/^(duplicate|superseded|order_locked: : .+)$/)]);
    if (error === 'superseded') {
      const newer = records[place.get(by)!]!;
      expect([about, newer.imported_for, newer.kind, place.get(by)! > at]).toEqual([about, key, kind, true]);
    }
    if (result && !shown.has(result)) {
      shown.add(result);
      expect((await scene.tenant.http('GET', `/v1/${kind}s/${result}`)).status).toBe(200);
    }
  }
}

/** Reads what there is under the keys of a plan, in the words of its sender. */
async function shownOf(scene: Scene): Promise<Json> {
  const { tenant } = scene;
  const read = async (path: string) => tenant.must('GET', tenant.path(`${path}?page%5Blimit%5D=100`));
  const orders = (await read('/orders')).map(orderShown);
  const projects = (await read('/projects')).map(projectShown);
  const byKey = (all: Json[]) => new Map(all.map((one) => [one.external_id, one]));
  expect([byKey(orders).size, byKey(projects).size]).toEqual([orders.length, projects.length]);
  return { orders: byKey(orders), projects: byKey(projects), tickets: await ticketsShown(app, tenant) };
}

test('whatever several senders say at once, again and again and in any spelling, ends as their last words alone, one after the other', async () => {
  for (let run = 0; run < sweepRuns(2); run++) {
    const d = dice(seedOf(`last words ${run}`));
    const plan = drawPlan(d);
    const { scene, trucks } = await makeScene(plan, d);
    const sender = async () => {
      for (let n = 0; n < 6; n++) {
        const { kind, elements } = scene.request();
        const headers: Record<string, string> = d.chance(0.2) ? { Prefer: 'wait=5' } : {};
        // A sender that waits too long for its answer sends once more.
        await Promise.all(Array.from({ length: d.chance(0.2) ? 2 : 1 }, () => scene.send(kind, elements, headers)));
        if (d.chance(0.1)) await scene.giveTrucks(trucks);
      }
    };
    await Promise.all([sender(), sender(), sender(), sender()]);
    await scene.settled();
    await close(scene);
    await scene.giveTrucks(trucks);
    await scene.settled();

    const records = await scene.records();
    await expectReadable(scene, records);
    const words = [...wordsThatCount(scene, records).values()];
    const clean = await makeScene(plan, d);
    for (const kind of ['projects', 'orders', 'tickets'] as const) {
      const elements = words.filter((word) => word.kind === kind).map((word) => clean.scene.say(word));
      if (kind === 'tickets') await clean.scene.giveTrucks(clean.trucks);
      if (elements.length > 0) await clean.scene.send(kind, elements);
      await clean.scene.settled();
    }

    const [mixed, plain] = [await shownOf(scene), await shownOf(clean.scene)];
    for (const word of words) {
      if (word.kind === 'tickets') continue;
      const [a, b] = [mixed[word.kind].get(word.key), plain[word.kind].get(word.key)];
      // What a canceled order was before is history, and no later payload changes it.
      if (word.kind === 'orders' && word.isCanceled) expect([word.key, a.state, b.state]).toEqual([word.key, 'canceled', 'canceled']);
      else {
        const meant = word.kind === 'orders' ? orderMeant(plan, word) : projectMeant(word);
        expect({ mixed: a, plain: b }).toEqual({ mixed: meant, plain: meant });
      }
    }
    const tickets = words.flatMap((word) => (word.kind === 'tickets' ? ticketMeant(plan, word) : []));
    const byKey = (all: Json[]) => all.toSorted((a, b) => (a.key < b.key ? -1 : 1));
    expect({ mixed: byKey(mixed.tickets), plain: byKey(plain.tickets) }).toEqual({ mixed: byKey(tickets), plain: byKey(tickets) });
    expect(await workOf(app, scene.tenant)).toEqual(await workOf(app, clean.scene.tenant));
    // Of each fate there was some.
    const fates = records.map(({ state, last_error: error }) => (state === 'skipped' ? error.split(':')[0] : state));
    for (const fate of ['processed', 'failed', 'duplicate', 'superseded']) expect([fate, fates.includes(fate)]).toEqual([fate, true]);
  }
}, 600_000);
