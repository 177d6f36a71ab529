import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { ref } from '@mikro-orm/core';
import { schemaOfRooms } from '../../../src/app/serve.ts';
import { AddOnCharge } from '../../../src/billing/charges/add-on-charge.entity.ts';
import { Company } from '../../../src/directory/companies/company.entity.ts';
import { User } from '../../../src/directory/people/user.entity.ts';
import { DriverDay } from '../../../src/dispatch/model/driver-day.entity.ts';
import { Job } from '../../../src/dispatch/model/job.entity.ts';
import { Order } from '../../../src/dispatch/model/order.entity.ts';
import { FileAttachment } from '../../../src/files/file-attachment.entity.ts';
import type { RoleName } from '../../../src/identity/access/permissions.ts';
import type { ToggleName } from '../../../src/identity/access/toggles.ts';
import { Ticket } from '../../../src/proof/ticket.entity.ts';
import { startTestApp, type TestApp } from '../../helpers/app.ts';
import { reachOf, togglesOf } from '../../helpers/roles.ts';
import { makeTenant, type Tenant } from '../../helpers/tenant.ts';
import { EXPECTED, graphqlCall, type Ids, idsUsed, makeIds } from '../../helpers/walk.ts';

const mutations = schemaOfRooms().getMutationType()!.getFields();
/** Records that people who read own ones only read when they are part of the work. */
const WORK = ['order', 'job', 'finishedJob', 'load', 'project', 'ticket', 'fileAttachment', 'jobAssignment'];
/** The operations that own records open to somebody. */
/** Bulk actions accept callers with own records, and report each job afterwards (test/dispatch/bulk/bulk.test.ts). */
/** Of somebody else's settlement a driver hears that there is none (test/billing/settlements/files-of-settlements.test.ts). */
const NOT_FOUND = ['createSettlementFileAttachment'];
/** To a driver, days of others are not there (src/proof/approvals/approve-day.ts). */
const HIDDEN_FROM_DRIVERS = ['approveDriverDay', 'unapproveDriverDay'];
const owned = [...EXPECTED].filter(
  ([name, expected]) =>
    expected.own && !expected.own.includes('self') && !name.startsWith('bulk') && !NOT_FOUND.includes(name) && name in mutations,
);

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.close());

interface Crew {
  tenant: Tenant;
  user: User;
  token: string;
}

async function hire(role: RoleName, toggles: readonly ToggleName[]): Promise<Crew> {
  const tenant = await makeTenant(app);
  await app.orm.em
    .fork()
    .nativeUpdate(Company, { id: tenant.company.id }, { permissionToggles: [...toggles] }, { filters: { tenant: false } });
  return { tenant, ...(await tenant.person({ roles: [role] })) };
}

/** Records that say whose work it is. */
const OF_CREW: readonly (keyof Ids)[] = ['order', 'job', 'ticket', 'addOnCharge', 'fileAttachment', 'driverDay'];

/**
 * Records that are theirs: they added the file, asked for the order, are foreman of it and its jobs, or drive the jobs; the day is theirs.
 * @param more kinds of records that are required, too; all by default, which for every call took most of the time
 */
async function make(crew: Crew, role: RoleName, whose: 'own' | 'foreign', more?: ReadonlySet<string>): Promise<Ids> {
  const ids = await makeIds(crew.tenant, undefined, more && new Set([...OF_CREW, ...more]));
  const em = app.orm.em.fork();
  const all = { filters: { tenant: false } } as const;
  await em.nativeUpdate(Ticket, { id: ids.ticket }, { job: ids.job, state: 'pending' }, all);
  if (whose === 'foreign') return ids;
  // People who are limited to their own work change only the charges that they requested for it.
  await em.nativeUpdate(AddOnCharge, { id: ids.addOnCharge }, { job: ids.job, requestedById: crew.user.id }, all);
  // A file belongs to the person who added it.
  await em.nativeUpdate(FileAttachment, { id: ids.fileAttachment }, { uploadedById: crew.user.id }, all);
  if (role === 'driver') {
    await em.nativeUpdate(Job, { order: ids.order }, { driver: ref(User, crew.user.id) }, all);
    await em.nativeUpdate(DriverDay, { id: ids.driverDay }, { driver: ref(User, crew.user.id), timesEditable: true }, all);
  } else {
    await em.nativeUpdate(Job, { order: ids.order }, { foremanIds: [crew.user.id], driverDayId: ids.driverDay }, all);
    await em.nativeUpdate(Order, { id: ids.order }, { foremanIds: [crew.user.id] }, all);
  }
  return ids;
}

for (const role of ['foreman', 'driver'] as const) {
  for (const toggles of [[], togglesOf(role)])
    test(`a ${role} with ${toggles.length} toggles on changes own records as the matrix says, and no others`, async () => {
      const crew = await hire(role, toggles);
      const wrong: string[] = [];
      for (const whose of ['own', 'foreign'] as const) {
        let ids: Ids | undefined;
        for (const [name, expected] of owned) {
          const reach = reachOf(expected, role, toggles);
          const open = reach === 'all' || (whose === 'own' && reach !== 'no');
          const callWith = (of: Ids) => graphqlCall('mutation', mutations[name]!, expected, of, crew.tenant);
          const used = idsUsed(callWith);
          const known = ids;
          ids = known && [...used].every((kind) => kind in known) ? known : await make(crew, role, whose, used);
          const { query, variables } = callWith(ids);
          if (name === 'createTicket') (variables.input as Record<string, unknown>).jobId = ids.job;
          const { errors } = await crew.tenant.gql(query, variables, crew.token);
          const code = errors?.[0].extensions.code as string | undefined;
          const hidden = role === 'driver' && whose === 'foreign' && HIDDEN_FROM_DRIVERS.includes(name);
          if (hidden ? code !== 'object_not_found' : (code === 'forbidden') === open)
            wrong.push(`${whose} ${name}: ${code ?? 'done'}, though the matrix says ${reach}`);
          if (code !== 'forbidden') ids = undefined;
        }
      }
      expect(wrong).toEqual([]);
    }, 300_000);
}

test.each(['foreman', 'driver'] as const)('what a %s may do with any record applies to the records that they may read', async (role) => {
  const crew = await hire(role, togglesOf(role));
  const ids = await make(crew, role, 'foreign');
  const wrong: string[] = [];
  for (const [name, expected] of EXPECTED) {
    if (!mutations[name] || !WORK.includes(expected.of ?? '') || reachOf(expected, role, togglesOf(role)) !== 'all') continue;
    const { query, variables } = graphqlCall('mutation', mutations[name], expected, ids, crew.tenant);
    const { errors } = await crew.tenant.gql(query, variables, crew.token);
    if (errors?.[0].extensions.code !== 'object_not_found') wrong.push(`${name}: ${errors?.[0].extensions.code ?? 'done'}`);
  }
  expect(wrong).toEqual([]);
});
