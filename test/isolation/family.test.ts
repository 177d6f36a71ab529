import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { ref } from '@mikro-orm/core';
import { startTestApp, type TestApp } from '../helpers/app.ts';
import { isWhole } from '../helpers/properties.ts';
import { makeTenant, type Tenant } from '../helpers/tenant.ts';
import { askBodies } from '../helpers/walk/bodies.ts';
import { type Ids, makeIds } from '../helpers/walk.ts';

let app: TestApp;
let parent: Tenant;
let child: Tenant;
let ofParent: Ids;
let ofChild: Ids;
beforeAll(async () => {
  app = await startTestApp();
  parent = await makeTenant(app);
  child = await makeTenant(app, { company: { parentCompany: ref(parent.company) } });
  [ofParent, ofChild] = [await makeIds(parent), await makeIds(child)];
});
afterAll(() => app.close());

const OF_REPORTS = [
  ...['companyIds', 'customerAccountIds', 'driverIds', 'dropoffSiteIds', 'equipmentIds', 'materialIds', 'orderIds', 'pickupSiteIds'],
  ...['projectIds', 'vendorAccountIds'],
];
/** Fields that say where something goes, or of what there is to be a file: of any company that the caller sees. */
const WHERE_TO = [
  'connectCompanies input.receiverCompanyId',
  'connectCompanies input.senderCompanyId',
  'createBulkDownload input.jobIds',
  'createCompany input.parentCompanyId',
  'createCompanyShare input.receiverCompanyId',
  'createProject input.companyId',
  'createRate input.companyId',
  // The truck that was used may be any that the caller sees, as on jobs.
  'changeDriverDayResourceUsageLogs resourceUsageLogs.equipmentId',
  'changeJobResourceUsageLogs resourceUsageLogs.equipmentId',
  'createDriverDayResourceUsageLog input.equipmentId',
  'updateResourceUsageLog input.equipmentId',
  // A report is about work of the whole family, as far as its reader sees it.
  ...['createReport', 'updateReport'].flatMap((name) => OF_REPORTS.map((field) => `${name} input.definition.filter.${field}`)),
  // A ticket is of its job's company.
  'createTicket input.jobId',
  'createTicket input.loadId',
  // Refused to machines, once the job is seen.
  'recordPosition input.location.jobId',
  'recordPositions input.locations.jobId',
];

test('a record belongs to its company: an id of another one of the family is treated like an unknown one', async () => {
  const differing = async (tenant: Tenant, foreign: Ids) => {
    const asked = await askBodies(app, tenant, foreign);
    expect(asked.length).toBeGreaterThan(150);
    return asked.filter((one) => one.foreign !== one.nothing).map(({ field }) => field);
  };
  expect((await differing(parent, ofChild)).toSorted()).toEqual(WHERE_TO.toSorted());
  if (!isWhole) return;
  // Without a job it is the parent's ticket, whose client makes it.
  const asked = await differing({ ...child, token: parent.token }, ofParent);
  expect(asked.toSorted()).toEqual([...WHERE_TO, 'createTicket input.materialId'].toSorted());
}, 300_000);
