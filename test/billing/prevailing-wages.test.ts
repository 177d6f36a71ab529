import { expect, test } from '@jest/globals';
import { makeStaffedTenant, readyJob, type StaffedTenant } from '../helpers/staffed-tenant.ts';
import { type Biller, billerOf, event, invoiceOf, linesOf, makeBooks, messages } from './books.ts';
import { choose, worked, ZONE } from './days/worked-days.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

const books = makeBooks();
const PROJECT = `mutation($id: ID!, $input: UpdateProjectInput!) { updateProject(id: $id, input: $input) {
  prevailingWage wages { classification base fringe credit } } }`;
const USER = 'mutation($id: ID!, $input: UpdateUserInput!) { updateUser(id: $id, input: $input) { wageClassification } }';
const WAGES = { prevailingWage: true, wages: [{ classification: 'Truck driver', base: '31.20', fringe: '18.45', credit: '2.10' }] };
const SHOWN = { prevailingWage: true, wages: [{ classification: 'Truck driver', base: '31.2', fringe: '18.45', credit: '2.1' }] };

/** A company with a biller and a project that prescribes wages. */
async function company(): Promise<{ own: StaffedTenant; by: Biller; project: Json; change(input: object): Promise<Json> }> {
  const own = await makeStaffedTenant(books.app, { timeZone: ZONE });
  const project = await own.must('POST', '/v1/projects', { name: 'Bridge', account_id: own.account.id });
  const admin = await own.administrator();
  const change = (input: object) => own.gql(PROJECT, { id: project.id, input }, admin);
  return { own, by: await billerOf(own), project, change };
}
const classify = async (own: StaffedTenant, wageClassification: string | null) =>
  own.gql(USER, { id: own.driver.id, input: { wageClassification } }, await own.administrator());
const pay = (own: StaffedTenant, by: Biller, job: Json) => invoiceOf({ ...books, tenant: own }, job.id, 'payable', by);

test('a driver on a public project is paid base and fringe less the credit, overtime of the base only, whatever the rate card says', async () => {
  const { own, by, project, change } = await company();
  expect((await change(WAGES)).data.updateProject).toEqual(SHOWN);
  await choose(own, { overtimePaid: true });
  const order = { project_id: project.id, driver_rate_value: 20, driver_rate_type: 'RatePerHour' };
  const job = await worked(own, null, order, 570);
  await own.must('PATCH', `/v1/orders/${job.order.id}`, { tax_rate: 1, tax_freight: true });
  // Nobody has said yet what the driver does.
  const draft = await pay(own, by, job);
  expect([draft.total_amount, draft.rate_value]).toEqual(['0', null]);
  const approved = await event(by, draft.id, 'approve');
  expect([approved.status, messages(approved)]).toEqual([409, expect.arrayContaining([expect.stringMatching(/it has no rate/)])]);
  expect((await classify(own, ' truck DRIVER ')).data.updateUser).toEqual({ wageClassification: 'truck DRIVER' });
  const paid = await pay(own, by, job);
  expect([paid.total_amount, paid.rate_value, paid.rate_type]).toEqual(['475.13', '47.55', 'RatePerHour']);
  expect(await linesOf(by, paid.id)).toEqual([
    ['8', '47.55', '380.4'],
    ['1.5', '63.15', '94.73'],
  ]);
  const APPLIED = 'query($id: ID!) { appliedRates(jobId: $id) { driver { source value matched } } }';
  const { data } = await own.gql(APPLIED, { id: job.id }, await own.administrator());
  expect(data.appliedRates.driver).toEqual({ source: 'prevailing_wage', value: '47.55', matched: ['classification'] });
  // Earlier pay stays, also if the project prescribes something else from now on.
  await change({ wages: [{ ...WAGES.wages[0], base: '40' }] });
  expect((await pay(own, by, job)).total_amount).toBe('475.13');
  // The customer pays as agreed.
  expect(await own.gql(PROJECT, { id: project.id, input: { prevailingWage: false } }, await own.administrator())).toMatchObject({
    data: { updateProject: { prevailingWage: false } },
  });
  const usual = await worked(own, null, order, 60);
  await own.must('PATCH', `/v1/orders/${usual.order.id}`, { tax_rate: 1, tax_freight: true });
  // The driver's regular day was over by then.
  expect(await linesOf(by, (await pay(own, by, usual)).id)).toEqual([['1', '30', '30']]);
});

test('a project that is made with its wages pays by them, and the audit log has them as what they are', async () => {
  const { own, by } = await company();
  const create = `mutation($input: CreateProjectInput!) { createProject(input: $input) { id prevailingWage wages { classification base fringe credit } } }`;
  const admin = await own.administrator();
  const { data } = await own.gql(create, { input: { name: 'Road', accountId: own.account.id, ...WAGES } }, admin);
  const { id, ...shown } = data.createProject;
  expect(shown).toEqual(SHOWN);
  await classify(own, 'Truck driver');
  const job = await worked(own, null, { project_id: id, driver_rate_value: 20, driver_rate_type: 'RatePerHour' }, 60);
  const paid = await pay(own, by, job);
  expect([paid.total_amount, paid.rate_value]).toEqual(['47.55', '47.55']);
  const [made] = await own.must('GET', `/v1/audit_entries?filter[subject_id]=${id}&filter[event]=create`, undefined, admin);
  expect(made.object_changes.wages[1]).toEqual([expect.objectContaining({ classification: 'Truck driver' })]);
});

test('wages are checked, seen by those who see what drivers are paid, and kept by others who send the project back', async () => {
  const { own, project, change } = await company();
  const wage = { classification: 'Laborer', base: '20', fringe: '5' };
  const wrong = await change({
    wages: [wage, { ...wage, classification: ' laborer ', credit: '5.01' }, { ...wage, classification: ' ', base: '1.00001' }],
  });
  const fields = (answer: Json) => answer.errors[0].extensions.errors.map(({ field }: Json) => field).sort();
  expect(fields(wrong)).toEqual(['wages.2.base']);
  const alsoWrong = await change({
    wages: [wage, { ...wage, classification: ' laborer ', credit: '5.01' }, { ...wage, classification: ' ' }],
  });
  expect(fields(alsoWrong)).toEqual(['wages.1.classification', 'wages.1.credit', 'wages.2.classification']);
  await change(WAGES);
  const { token } = await own.person({ roles: ['dispatcher'] });
  const read = async (as?: string) =>
    (await own.gql('query($id: ID!) { project(id: $id) { prevailingWage wages { base } } }', { id: project.id }, as)).data.project;
  expect(await read(await own.administrator())).toEqual({ prevailingWage: true, wages: [{ base: '31.2' }] });
  const unseen = await read(token);
  expect([unseen.prevailingWage, unseen.wages === null || unseen.wages.length === 1]).toEqual([true, true]);
  const job = await readyJob(own, { project_id: project.id });
  expect(job.state).toBe('accepted');
});
