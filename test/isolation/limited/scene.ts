import { ref } from '@mikro-orm/core';
import { Equipment } from '../../../src/directory/equipment/equipment.entity.ts';
import { EquipmentType } from '../../../src/directory/equipment/equipment-type.entity.ts';
import { Site } from '../../../src/directory/sites/site.entity.ts';
import type { TestApp } from '../../helpers/app.ts';
import type { dice } from '../../helpers/properties.ts';
import { sessionToken } from '../../helpers/session.ts';
import { connect, makeStaffedTenant, type StaffedTenant } from '../../helpers/staffed-tenant.ts';
import type { Person } from '../../helpers/tenant.ts';
import { zoneAt } from '../../helpers/zones.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
export type Json = any;
export type Dice = ReturnType<typeof dice>;
export type Sent = { status: number; body: Json };

/** Somebody of the company, who may leave and come back. */
export interface Member extends Person {
  name: string;
  /** False while they are deactivated. */
  here: boolean;
  /** Their roles may be changed: not those of the administrator, who does most of it. */
  fixed: boolean;
}

/** A company and its people, of whom most see some of its work only. */
export interface Scene {
  app: TestApp;
  at: StaffedTenant;
  members: Member[];
  /** Who may be given jobs: they keep the role of a driver. */
  drivers: Member[];
  sites: string[];
  projects: string[];
  trucks: string[];
  /** The company to which jobs are passed on, as an account. */
  vendor: string;
  /** Ids of roles, by name. */
  roles: ReadonlyMap<string, string>;
  /** Merges that may be undone. */
  merges: string[];
}

const memberOf = (app: TestApp, { id, user, token }: Person, name: string, fixed = false): Member => {
  const http: Member['http'] = (method, path, body, headers) => app.http(method, path, { body, token: member.token, headers });
  const member: Member = {
    ...{ id, user, token, name, fixed, here: true, http },
    async must(method, path, body) {
      const sent = await http(method, path, body);
      if (sent.status >= 300) throw new Error(`${name}: ${method} ${path} -> ${sent.status} ${JSON.stringify(sent.body)}`);
      return sent.body?.data;
    },
    gql: async (query, variables) => (await app.graphql(query, variables, { token: member.token })).body,
  };
  return member;
};

/** Somebody who came back signs in anew. */
export async function signInAgain({ app }: Scene, member: Member): Promise<void> {
  member.token = await sessionToken(app.orm, member.user);
  member.here = true;
}

/** Roles of the company: one that leaves people with their own records, and one that shows all of the work and the money of customers. */
const OWN_ROLES = [
  { name: 'Loader', permissions: ['edit_load:own', 'create_ticket:own'] },
  { name: 'Controller', permissions: ['view_customer_rates'] },
];

/** People by their roles, and the places of the sites to which they are limited. */
const PEOPLE: readonly [name: string, roles: readonly string[], sites: readonly number[]][] = [
  ['a manager at one site', ['manager'], [0]],
  ['a biller at one site', ['biller'], [1]],
  ['a biller', ['biller'], []],
  ['a foreman', ['foreman'], []],
  ['a foreman at one site', ['foreman'], [0]],
  ['another driver', ['driver'], []],
  ['a driver who leads', ['driver', 'foreman'], []],
];

/** Makes a company whose day is at noon, so that it does not end during the test. */
export async function makeScene(app: TestApp): Promise<Scene> {
  const at = await makeStaffedTenant(app, { timeZone: zoneAt(12), currency: 'USD' });
  const company = ref(at.company);
  const members = [
    memberOf(app, at.admin, 'an administrator', true),
    memberOf(app, at.dispatcher, 'a dispatcher at two sites'),
    memberOf(app, at.driver, 'a driver'),
  ];
  for (const [name, roles] of PEOPLE) members.push(memberOf(app, await at.person({ roles, firstName: 'Max' }), name));
  const roles = new Map<string, string>();
  for (const role of OWN_ROLES) roles.set(role.name, (await at.admin.must('POST', '/v1/iam_roles', role)).id);
  for (const [name, role] of [
    ['somebody with own records', 'Loader'],
    ['a controller', 'Controller'],
  ] as const)
    members.push(memberOf(app, await at.person({ roles: [], customRoleIds: [roles.get(role)!] }), name));
  for (const { id, name } of await at.admin.must('GET', '/v1/iam_roles?page[limit]=100')) roles.set(name, id);
  const sites = [at.pickup.id, at.dropoff.id];
  for (const name of ['Plant', 'Depot', 'Depot ']) sites.push((await at.save(Site, { company, name })).id);
  const equipmentType = ref(await at.save(EquipmentType, { company, name: 'Dump truck' }));
  const trucks: string[] = [];
  for (const name of ['Red', 'Green']) trucks.push((await at.save(Equipment, { company, equipmentType, name })).id);
  const projects: string[] = [];
  for (const name of ['Motorway', 'Harbour', 'Tunnel'])
    projects.push((await at.must('POST', '/v1/projects', { name, account_id: at.account.id, ...prices(7) })).id);
  const vendor: string = (await connect(at, await makeStaffedTenant(app))).id;
  const drivers = members.filter(({ name }) => ['a driver', 'another driver', 'a driver who leads'].includes(name));
  const scene: Scene = { app, at, members, drivers, sites, projects, trucks, vendor, roles, merges: [] };
  for (const [name, , places] of [...PEOPLE, ['a dispatcher at two sites', [], [0, 2]] as const])
    for (const place of places) await limit(scene, members.find((one) => one.name === name)!, sites[place]!);
  for (const site_id of [null, ...sites.slice(0, 3)]) {
    const price = { material_id: at.material.id, unit_of_measure: 'Ton', sell_price: 12.5, buy_price: 9.8 };
    await at.must('POST', '/v1/material_rates', { ...price, ...(site_id ? { site_id } : {}) });
  }
  return scene;
}

/** What is agreed for work: three prices, of which people see some. */
export const prices = (value: number): object => ({
  ...{ customer_rate_value: value + 0.11, customer_rate_type: 'RatePerLoad' },
  ...{ vendor_rate_value: value + 0.22, vendor_rate_type: 'RatePerLoad' },
  ...{ driver_rate_value: value + 0.33, driver_rate_type: 'RatePerLoad' },
});

/** Limits somebody to one more site. */
export const limit = ({ at }: Scene, member: Member, site: string): Promise<Sent> =>
  at.admin.http('POST', `/v1/users/${member.id}/resource_scopes`, { resource_id: site, resource_type: 'Site' });

/** Calls something as the administrator, below the company unless the path says otherwise. */
export const by = ({ at }: Scene, method: string, path: string, body?: object): Promise<Sent> =>
  at.admin.http(method, path.startsWith('/v1') ? path : at.path(path), body);

/** The date of the present day of the company, or of one near it. */
export const dateOf = ({ at }: Scene, days = 0): string =>
  new Intl.DateTimeFormat('sv-SE', { timeZone: at.company.timeZone }).format(Date.now() + days * 86_400_000);

/** One of some records; those that `fit` are preferred. */
export function pick(dice: Dice, records: readonly Json[], fit: (record: Json) => boolean = () => true): Json | undefined {
  const fitting = records.filter(fit);
  const from = fitting.length > 0 && dice.chance(0.85) ? fitting : records;
  return from.length > 0 ? dice.of(from) : undefined;
}

const nodes = async ({ at }: Scene, field: string, selected: string): Promise<Json[]> => {
  const { data, errors } = await at.admin.gql(`{ ${field}(first: 100) { nodes { ${selected} } } }`);
  if (errors) throw new Error(JSON.stringify(errors));
  return data[field].nodes;
};
export const ordersOf = (scene: Scene): Promise<Json[]> => nodes(scene, 'orders', 'id state stateEvents');
export const jobsOf = (scene: Scene): Promise<Json[]> =>
  nodes(scene, 'jobs', 'id state stateEvents recurringLoads driver { id } order { id state }');
export const loadsOf = (scene: Scene): Promise<Json[]> => nodes(scene, 'loads', 'id state approvable ticket { id } job { id state }');
export const ticketsOf = (scene: Scene): Promise<Json[]> => nodes(scene, 'tickets', 'id state loadId jobId');
export const daysOf = (scene: Scene): Promise<Json[]> => nodes(scene, 'driverDays', 'id approvable driver { id }');
