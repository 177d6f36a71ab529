import { ref } from '@mikro-orm/core';
import { Equipment } from '../../../src/directory/equipment/equipment.entity.ts';
import { EquipmentType } from '../../../src/directory/equipment/equipment-type.entity.ts';
import { Site } from '../../../src/directory/sites/site.entity.ts';
import { Replica } from '../../events/follower.ts';
import type { Answer, TestApp } from '../../helpers/app.ts';
import { acceptedOrder, connect, makeStaffedTenant, type StaffedTenant } from '../../helpers/staffed-tenant.ts';
import { inviteInput, type Person } from '../../helpers/tenant.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
export type Json = any;

/** A company of the scene, with the people whose reads are compared. */
export interface Side extends StaffedTenant {
  name: string;
  /** Reads all of the company. */
  reader: Reader;
  trucks: Equipment[];
  sites: Site[];
  /** Of its webhooks, to which everything is sent that happens to its work. */
  subscription: string;
}

/** Somebody whose reads are compared: all of their company's, or what their limits leave of it. */
export interface Reader {
  name: string;
  side: Side;
  token: string;
  person?: Person;
  /** What follows the feed since the beginning of the scene, and begins again when it has to. */
  copy: Replica;
}

/** A write, and how it was answered. */
export interface Write {
  name: string;
  status: number;
  requestId: string;
  /** The record that was answered is older than the request. */
  changedNothing: boolean;
  error?: unknown;
}

export interface World {
  app: TestApp;
  /** A contractor, two hauliers that it hires, and an agency that the first haulier hires. */
  sides: Side[];
  contractor: Side;
  hauler: Side;
  other: Side;
  agency: Side;
  /** The company that the agency brought here and manages. */
  managed: string;
  /** Those who see only some of their company. */
  limited: Reader[];
  writes: Write[];
  /** What each company was answered when it changed something, since the last comparison. */
  answers: [side: string, text: string][];
  /** The words that only a company's own people read, by the company; and those that a record passes on, by its type and id. */
  kept: Map<string, string>;
  passed: Map<string, string>;
  /** Places by the names that they got, and who could read such a name: the name of a side and the name of the place. */
  names: Map<string, string>;
  known: Set<string>;
  /** What merges and their undoing have moved, with the last event of its webhooks before: no webhook says that it has another version. */
  moved: Map<string, number>;
  /** Links of jobs that there were, and whose sides they had. */
  links: Map<string, string[]>;
  number: number;
}

/** The rows that a statement finds, whoever may see them. */
export const rowsOf = (app: TestApp, sql: string, values: unknown[] = []): Promise<Json[]> =>
  app.orm.em.fork().getConnection().execute(sql, values);

const TRIGGERS = ['Order', 'Job', 'Load', 'Ticket'].flatMap((topic) =>
  ['create', 'update', 'state_change', 'error'].map((event) => `${topic}::${event}`),
);

/** What a step does as somebody of a company: it may be refused, and is noted. */
export async function write(
  world: World,
  side: Side,
  method: string,
  path: string,
  body?: unknown,
  token = side.admin.token,
): Promise<Answer> {
  const begun = Date.now();
  const answer = await world.app.http(method, path, { body, token });
  note(world, `${side.name} ${method} ${path}`, answer, begun);
  world.answers.push([side.name, JSON.stringify(answer.body ?? null)]);
  return answer;
}

export function note(world: World, name: string, { status, headers, body }: Answer, begun = 0): void {
  const requestId = headers.get('x-request-id') ?? '';
  const changedNothing = Date.parse(body?.data?.updated_at ?? '') < begun;
  world.writes.push({ name, status, requestId, changedNothing, error: status >= 400 ? (body?.error ?? body) : undefined });
}

/** A word that is nowhere else. */
export const word = (world: World, kind: 'kept' | 'passed'): string => `${kind}word${String(++world.number).padStart(5, '0')}x`;

/** A word that other companies never read. */
export function keptWord(world: World, side: Side): string {
  const made = word(world, 'kept');
  world.kept.set(made, side.company.id);
  return made;
}

async function makeSide(app: TestApp, name: string): Promise<Side> {
  const at = await makeStaffedTenant(app, { legalName: `The ${name}` });
  const company = ref(at.company);
  const equipmentType = ref(await at.save(EquipmentType, { company, name: 'Tandem' }));
  const truck = (number: number) => at.save(Equipment, { company, equipmentType, name: `Truck ${number} of ${name}` });
  const site = (number: number) => at.save(Site, { company, name: `Site ${number} of ${name}` });
  const trucks = [await truck(1), await truck(2)];
  const sites = [at.pickup, at.dropoff, await site(3), await site(4)];
  const { id } = await at.must('POST', '/v1/webhook_subscriptions', { url: 'https://hooks.example', triggers: TRIGGERS }, at.admin.token);
  const side: Side = { ...at, name, trucks, sites, subscription: id, reader: undefined as never };
  side.reader = await readerOf(side, name, at.admin.token);
  return side;
}

async function readerOf(side: Side, name: string, token: string, person?: Person): Promise<Reader> {
  return { name, side, token, person, copy: await new Replica(side, token).begin() };
}

/** The companies, their connections and the work with which a run begins. */
export async function makeWorld(app: TestApp): Promise<World> {
  const sides: Side[] = [];
  for (const name of ['contractor', 'hauler', 'other hauler', 'agency']) sides.push(await makeSide(app, name));
  const [contractor, hauler, other, agency] = sides as [Side, Side, Side, Side];
  for (const [from, to] of [
    [contractor, hauler],
    [contractor, other],
    [hauler, other],
    [hauler, agency],
  ] as const)
    await connect(from, to);
  const invited = await agency.must(
    'POST',
    '/v1/accounts/invite',
    inviteInput({ equipment: { name: 'Managed truck', equipment_type_name: 'Tandem' } }),
  );
  const managed = invited.connected_company.id;
  await agency.must('PUT', agency.path(`/managed_companies/${managed}`), {});
  const atSite = await contractor.person({ firstName: 'Lena', roles: ['dispatcher'] });
  const scope = { resource_id: contractor.sites[0]!.id, resource_type: 'Site' };
  await contractor.admin.must('POST', `/v1/users/${atSite.id}/resource_scopes`, scope);
  const limited = [
    await readerOf(contractor, 'dispatcher at a site', atSite.token, atSite),
    await readerOf(hauler, 'driver of the hauler', hauler.driver.token, hauler.driver),
  ];
  const world: World = {
    ...{ app, sides, contractor, hauler, other, agency, managed, limited, moved: new Map() },
    ...{ writes: [], answers: [], kept: new Map(), passed: new Map(), names: new Map(), known: new Set(), links: new Map(), number: 0 },
  };
  for (const one of sides) {
    const named = keptWord(world, one);
    await one.admin.must('PATCH', `/v1/accounts/${one.account.id}`, { notes: named, external_id: named });
    // Whom to call there is for those with whom it is connected.
    const contact = word(world, 'passed');
    world.passed.set(contact, `Company ${one.company.id}`);
    await one.admin.must('PATCH', `/v1/companies/${one.company.id}`, { primary_contact: { name: contact } });
  }
  const rates = { customer_rate_value: 9, customer_rate_type: 'RatePerTon', vendor_rate_value: 5, vendor_rate_type: 'RatePerTon' };
  for (const one of [contractor, contractor, hauler])
    await acceptedOrder(one, { truck_count: 2, ...rates, external_id: keptWord(world, one), internal_notes: keptWord(world, one) });
  return world;
}
