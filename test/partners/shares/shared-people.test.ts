import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { ref } from '@mikro-orm/core';
import type { GraphQLObjectType } from 'graphql';
import { schemaOfRooms } from '../../../src/app/serve.ts';
import { Label } from '../../../src/directory/master-data/label.entity.ts';
import { User } from '../../../src/directory/people/user.entity.ts';
import { Job } from '../../../src/dispatch/model/job.entity.ts';
import { Invitation } from '../../../src/identity/people/invitation.entity.ts';
import { startTestApp, type TestApp } from '../../helpers/app.ts';
import { makePair, mustShare, type Owner } from '../../helpers/shares.ts';
import { makeOrder } from '../../helpers/tenant.ts';
import { zoneAt } from '../../helpers/zones.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

let app: TestApp;
let owner: Owner;
let receiver: Owner;
let person: User;
let shared: Json;
/** Of the person and of her company, where no day ends while her work of today is looked at. */
const ZONE = zoneAt(12);
beforeAll(async () => {
  app = await startTestApp();
  [owner, receiver] = await makePair(app, { timeZone: ZONE });
  const label = await owner.save(Label, { company: ref(owner.company), name: 'Night', color: '#112233' });
  const login = new Date('2026-01-02T03:04:05Z');
  ({ user: person } = await owner.person({
    firstName: 'Nell',
    lastName: 'Haul',
    phone: '+15125550188',
    externalId: 'N-1',
    roles: ['driver', 'foreman', 'biller'],
    textToAcceptEnabled: true,
    payBy: 'driver_day',
    wageClassification: 'Truck driver',
    scheduleOn: true,
    timeZone: ZONE,
    preferences: { notifications: { new_job_request: ['push'] }, language: 'es-us' },
    lastLoginAt: login,
    lastPingAt: login,
    lastLat: '30.25',
    lastLon: '-97.5',
    equipment: ref(owner.truck),
    defaultEquipment: ref(owner.truck),
    additionalEquipmentIds: [owner.truck.id],
    labelIds: [label.id],
  }));
  await owner.save(Invitation, { company: ref(owner.company), user: ref(person), channel: 'email' });
  // One job today, and one tomorrow.
  const order = await makeOrder(owner, { loads_per_truck: 1, truck_count: 2 });
  for (const [days, job] of (await owner.must('GET', owner.path(`/orders/${order.id}/jobs`))).entries()) {
    const driven = { driver: person.id, jobStartAt: new Date(Date.now() + days * 86_400_000) };
    await app.orm.em.fork().nativeUpdate(Job, { id: job.id }, driven, { filters: { tenant: false } });
  }
  shared = await mustShare(owner, {
    receiver_company_id: receiver.company.id,
    company_shareable_type: 'User',
    company_shareable_id: person.id,
  });
});
afterAll(() => app.close());

/** Of each field of a person: what is asked below it. */
const BELOW: Record<string, string> = {
  company: '{ id legalName }',
  companyShare: '{ id }',
  companyDayDriverStat: '{ jobsCount }',
  gpsStatus: '{ status }',
  jobs: '{ nodes { id } }',
  lastPosition: '{ lat lon }',
  impersonatedBy: '{ id }',
  iamRoles: '{ key }',
  labels: '{ name }',
  userDevicePermissions: '{ devicePermission }',
  ...Object.fromEntries(
    ['equipment', 'defaultEquipment', 'additionalEquipment', 'defaultAdditionalEquipment'].map((name) => [name, '{ name }']),
  ),
};
const FIELDS = Object.keys((schemaOfRooms().getType('User') as GraphQLObjectType).getFields());
const SELECTION = FIELDS.map((name) => `${name} ${BELOW[name] ?? ''}`).join(' ');
const ask = async (of: Owner): Promise<Json> => {
  const { data, errors } = await of.gql(`query($id: ID!) { driver(id: $id) { ${SELECTION} } }`, { id: person.id });
  expect(errors).toBeUndefined();
  return data.driver;
};

/** Returns the fields that the receiver reads: whom it calls, which share it is, and where the truck is that it was not given. */
const reported = () => ({
  id: person.id,
  firstName: 'Nell',
  lastName: 'Haul',
  email: person.email,
  phone: '+15125550188',
  externalId: 'N-1',
  company: { id: owner.company.id, legalName: owner.company.legalName },
  companyShare: { id: shared.id },
  timeZone: ZONE,
  effectiveTimeZone: ZONE,
  scheduleOn: true,
  managed: false,
  // Whether another company entered an address is the affair of her own; others read that nobody else did.
  emailProven: true,
  phoneProven: true,
  gpsStatus: { status: 'no_signal' },
  discardedAt: null,
  createdAt: expect.any(String),
  updatedAt: expect.any(String),
  userDevicePermissions: [],
});
/** The fields that are her own company's, as that reads them. */
const own = {
  roles: ['driver', 'foreman', 'biller'],
  iamRoles: expect.arrayContaining([{ key: 'driver' }, { key: 'foreman' }, { key: 'biller' }]),
  preferences: { notifications: { new_job_request: ['push'] }, language: 'es-us' },
  textToAcceptEnabled: true,
  lastLoginAt: '2026-01-02T03:04:05.000Z',
  payBy: 'driver_day',
  wageClassification: 'Truck driver',
  lastPosition: { lat: '30.25', lon: '-97.5' },
  companyDayDriverStat: { jobsCount: 1 },
  labels: [{ name: 'Night' }],
  jobs: { nodes: [{ id: expect.any(String) }, { id: expect.any(String) }] },
  equipment: { name: 'Truck 7' },
  defaultEquipment: { name: 'Truck 7' },
  additionalEquipment: [{ name: 'Truck 7' }],
  idpMemberStatus: 'active',
  idpUserStatus: 'active',
};
/** The same to anybody else. */
const withheld = {
  roles: [],
  iamRoles: [],
  preferences: {},
  textToAcceptEnabled: false,
  lastLoginAt: null,
  payBy: null,
  wageClassification: null,
  lastPosition: null,
  companyDayDriverStat: null,
  jobs: { nodes: [] },
  labels: [],
  idpMemberStatus: 'needs_invite',
  idpUserStatus: 'needs_invite',
};
const never = {
  idpMemberId: null,
  idpUserId: null,
  idpPhoneId: null,
  intercomHash: '',
  impersonatedBy: null,
  defaultAdditionalEquipment: [],
};

test('over GraphQL the receiver of a person reads what it needs to work with her, and nothing private to her company', async () => {
  expect(await ask(owner)).toEqual({ ...reported(), companyShare: null, ...own, ...never, idpMemberId: person.id, idpUserId: person.id });
  expect(await ask(receiver)).toEqual({
    ...reported(),
    ...withheld,
    ...never,
    equipment: null,
    defaultEquipment: null,
    additionalEquipment: [],
  });
});

test('over REST, too, as driver and as foreman, alone and in lists', async () => {
  for (const part of ['drivers', 'foremen']) {
    const alone = await receiver.must('GET', receiver.path(`/${part}/${person.id}`));
    const listed: Json[] = await receiver.must('GET', receiver.path(`/${part}?page[limit]=100`));
    for (const seen of [alone, listed.find(({ id }) => id === person.id)]) {
      expect(seen).toMatchObject({ phone: '+15125550188', labels: [], company_share: { id: shared.id } });
      for (const name of ['preferences', 'roles', 'iam_roles', 'text_to_accept_enabled', 'last_login_at'])
        expect(seen).not.toHaveProperty(name);
    }
    if (part === 'drivers') expect(alone.company_day_driver_stat).toBeNull();
  }
  expect((await receiver.http('GET', receiver.path(`/users/${person.id}`))).status).toBe(404);
});

test('no search finds shared people by their hidden roles', async () => {
  const found = async (who: Owner, word: string) =>
    (await who.must('GET', `${who.path('/drivers')}?search[datagrid]=${word}`)).map(({ id }: Json) => id);
  for (const word of ['Biller', 'Foreman']) {
    expect([word, await found(owner, word)]).toEqual([word, [person.id]]);
    expect([word, await found(receiver, word)]).toEqual([word, []]);
  }
  expect(await found(receiver, 'Nell')).toEqual([person.id]);
});
