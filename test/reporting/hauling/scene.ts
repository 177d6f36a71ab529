import { ref } from '@mikro-orm/core';
import { Equipment } from '../../../src/directory/equipment/equipment.entity.ts';
import { EquipmentType } from '../../../src/directory/equipment/equipment-type.entity.ts';
import { Material } from '../../../src/directory/master-data/named.entities.ts';
import type { TestApp } from '../../helpers/app.ts';
import type { dice } from '../../helpers/properties.ts';
import { makeStaffedTenant, type StaffedTenant } from '../../helpers/staffed-tenant.ts';
import type { Person } from '../../helpers/tenant.ts';
import { zoneAt } from '../../helpers/zones.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
export type Json = any;
export type Dice = ReturnType<typeof dice>;
export type Sent = { status: number; body: Json };

const MINUTE = 60_000;
const METRE = 180 / Math.PI / 6_371_008.8;
const [PIT, LON] = [30.25, -97.75];

/** A company whose office and drivers do something, and what the test remembers of it. */
export interface Scene {
  app: TestApp;
  at: StaffedTenant;
  /** Each drives on a road of their own, on which all sites are. */
  drivers: Person[];
  trucks: { id: string; external: string }[];
  pits: string[];
  bridges: string[];
  materials: string[];
  projects: string[];
  /** The moment from which minutes are counted: so long ago that a whole shift was since then, on the present date of the company. */
  began: number;
  /** Up to when a driver's telephone has reported something, in minutes. */
  clocks: Map<string, number>;
  /** Where a driver is, in metres north of the pit. */
  places: Map<string, number>;
  /** What telephones and scales have sent, to be sent once more. */
  events: { by: Person; path: string; body: object }[];
  imported: { orders: Json[]; tickets: Json[] };
  /** Merges that may be undone. */
  merges: string[];
  /** The sites that were merged so far. */
  merged: Set<string>;
}

/** Minutes that the shifts of a run have. */
export const SHIFT = 150;

/** The instant so many minutes after the beginning. */
export const instant = ({ began }: Scene, minutes: number): string => new Date(began + minutes * MINUTE).toISOString();
/** The minutes from the beginning until now. */
export const present = ({ began }: Scene): number => (Date.now() - began) / MINUTE;
/** The date of an instant in the company's zone. */
export const dateOf = ({ at }: Scene, time: string | number): string =>
  new Intl.DateTimeFormat('sv-SE', { timeZone: at.company.timeZone }).format(new Date(time));
/** A day of 24 hours before or after the present one, at the same time: the zone's clocks do not change. */
export const dayAfter = (scene: Scene, days: number): string => instant(scene, days * 24 * 60 + 30);
export const placeAt = (metres: number): { lat: string; lon: string } => ({ lat: (PIT + metres * METRE).toFixed(9), lon: LON.toFixed(6) });

/** Makes a company whose day is at noon, so that it does not end during the test. */
export async function makeScene(app: TestApp, autoComplete: boolean): Promise<Scene> {
  const at = await makeStaffedTenant(app, { timeZone: zoneAt(12), currency: 'USD', autoCompleteOrder: autoComplete });
  const company = ref(at.company);
  const drivers = [at.driver];
  for (const lastName of ['Axle', 'Brake', 'Clutch']) drivers.push(await at.person({ roles: ['driver'], firstName: 'Max', lastName }));
  const equipmentType = ref(await at.save(EquipmentType, { company, name: 'Dump truck' }));
  const trucks: Scene['trucks'] = [];
  for (const name of ['Red', 'Green', 'Blue']) {
    const external = `TRK-${name}`;
    trucks.push({ id: (await at.save(Equipment, { company, equipmentType, name, externalId: external })).id, external });
  }
  const site = async (name: string, metres: number): Promise<string> =>
    (await at.must('POST', '/v1/sites', { name, ...placeAt(metres) })).id;
  const pits = [await site('North pit', 0), await site('Other pit', 20)];
  const bridges = [await site('Long bridge', 5_000), await site('Short bridge', 9_000)];
  const materials = [
    at.material.id,
    (await at.save(Material, { company, name: 'Sand' })).id,
    (await at.save(Material, { company, name: 'Sand ' })).id,
  ];
  const projects: string[] = [];
  for (const name of ['Motorway', 'Harbour'])
    projects.push((await at.must('POST', '/v1/projects', { name, account_id: at.account.id })).id);
  return {
    ...{ app, at, drivers, trucks, pits, bridges, materials, projects },
    ...{ began: Date.now() - (SHIFT + 20) * MINUTE, clocks: new Map(), places: new Map() },
    ...{ events: [], imported: { orders: [], tickets: [] }, merges: [], merged: new Set() },
  };
}

/** Calls something as the administrator, below the company unless the path says otherwise. */
export const by = ({ at }: Scene, method: string, path: string, body?: object): Promise<Sent> =>
  at.admin.http(method, path.startsWith('/v1') || path.startsWith('/ingest') ? path : at.path(path), body);

const JOBS = `{ jobs(first: 100) { nodes { id state stateEvents pausedAt deletable recurringLoads driver { id } order { id state } } } }`;
const LOADS = `{ loads(first: 100) { nodes { id state approvable unapprovable ticket { id } job { id state } } } }`;
const ORDERS = `{ orders(first: 100) { nodes { id state stateEvents } } }`;
const TICKETS = `{ tickets(first: 100) { nodes { id state stateEvents loadId jobId } } }`;
const DAYS = `{ driverDays(first: 100) { nodes { id approved editable endedShiftAt startedShiftAt approvable unapprovable driver { id } } } }`;
const nodes = async ({ at }: Scene, query: string): Promise<Json[]> => {
  const { data, errors } = await at.admin.gql(query);
  if (errors) throw new Error(JSON.stringify(errors));
  return (Object.values(data)[0] as Json).nodes;
};
export const jobsOf = (scene: Scene): Promise<Json[]> => nodes(scene, JOBS);
export const loadsOf = (scene: Scene): Promise<Json[]> => nodes(scene, LOADS);
export const ordersOf = (scene: Scene): Promise<Json[]> => nodes(scene, ORDERS);
export const ticketsOf = (scene: Scene): Promise<Json[]> => nodes(scene, TICKETS);
export const daysOf = (scene: Scene): Promise<Json[]> => nodes(scene, DAYS);
/** One of some records; those that `fit` are preferred. */
export function pick(dice: Dice, records: readonly Json[], fit: (record: Json) => boolean = () => true): Json | undefined {
  const fitting = records.filter(fit);
  const from = fitting.length > 0 && dice.chance(0.85) ? fitting : records;
  return from.length > 0 ? dice.of(from) : undefined;
}
