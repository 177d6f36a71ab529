import { Account } from '../../../src/directory/accounts/account.entity.ts';
import { Contact } from '../../../src/directory/contacts/contact.entity.ts';
import { FileAttachment } from '../../../src/files/file-attachment.entity.ts';
import { newId } from '../../../src/platform/ids.ts';
import { AiReview } from '../../../src/proof/review/ai-review.entity.ts';
import { Signature } from '../../../src/proof/signatures/signature.entity.ts';
import { Ticket } from '../../../src/proof/ticket.entity.ts';
import type { TestApp } from '../app.ts';
import { act, type makeChain, type StaffedTenant } from '../staffed-tenant.ts';
import { attachmentFields } from '../tenant.ts';
import type { Ids } from '../walk.ts';
import type { Canaries } from './canaries.ts';

type Chain = Awaited<ReturnType<typeof makeChain>>;

/** Passes a job of the owner on to the hauler, from there to the owner-operator, and to its driver. */
export async function passDown({ owner, middle, last, hired, subHired }: Chain, { order, job }: Ids): Promise<void> {
  await owner.must('PUT', owner.path(`/orders/${order}/accept`), {});
  await act(owner, job, 'assign_vendor', { vendor_id: hired.id });
  await act(owner, job, 'request');
  await act(middle, job, 'accept');
  await act(middle, job, 'assign_vendor', { vendor_id: subHired.id });
  await act(middle, job, 'request');
  await act(last, job, 'accept');
  await last.dispatcher.must('PATCH', last.path(`/jobs/${job}`), { driver_id: last.driver.id });
}

/** Sets everything that the owner's project, order, job and load can refer to. */
export async function fillIn(app: TestApp, owner: StaffedTenant, ids: Ids, canaries: Canaries): Promise<void> {
  const companyId = owner.company.id;
  const run = (sql: string, params: unknown[]) => app.orm.em.execute(sql, params);
  const contact = async (name: string) => {
    const { id } = await owner.save(Contact, { companyId, name });
    await run('update contact set name = ?, email = ?, phone = ? where id = ?', [name, name, name, id]);
    return id;
  };
  const person = async (role: string) => (await owner.person({ roles: [role] })).user.id;
  const [requester, collaborator, salesperson] = [await person('company_admin'), await person('dispatcher'), await person('dispatcher')];
  const contacts = Object.fromEntries(
    await Promise.all(
      ['sales', 'foreman', 'supervisor', 'collaborator', 'project', 'company'].map(async (of) => [of, await contact(of)] as const),
    ),
  ) as Record<string, string>;
  const { id: priced } = await owner.save(Account, { company: owner.company, name: 'Priced', accountTypes: ['customer'] });
  const crew = `foreman_ids = array[?]::uuid[], collaborator_ids = array[?]::uuid[], salesperson_ids = array[?]::uuid[],
    sales_contact_id = ?, foreman_contact_id = ?, supervisor_contact_id = ?, collaborator_contact_id = ?, customer_rate_id = ?, vendor_rate_id = ?, driver_rate_id = ?`;
  const crewed = [ids.foreman, collaborator, salesperson, contacts.sales, contacts.foreman, contacts.supervisor, contacts.collaborator];
  const priced3 = [ids.customerRate, ids.vendorRate, ids.rate];
  const office = [ids.department, requester, ids.serviceClass];
  await run(
    `update project set ${crew}, department_id = ?, requester_id = ?, service_class_id = ?, contact_id = ?, site_id = ? where id = ?`,
    [...[...crewed, ...priced3, ...office, contacts.project, ids.site, ids.project]],
  );
  await run(
    `update orders set ${crew}, department_id = ?, requester_id = ?, service_class_id = ?, project_id = ?, equipment_id = ?, material_id = ?,
     material_rate_site_id = ? where id = ?`,
    [...crewed, ...priced3, ...office, ids.project, ids.equipment, ids.material, ids.site, ids.order],
  );
  await run(`update job set ${crew}, project_id = ?, material_id = ?, material_rate_site_id = ? where id = ?`, [
    ...[...crewed, ...priced3, ids.project, ids.material, ids.site, ids.job],
  ]);
  await run('update load set foreman_ids = array[?]::uuid[], material_id = ?, material_rate_site_id = ? where job_id = ?', [
    ...[ids.foreman, ids.material, ids.site, ids.job],
  ]);
  await run('update job_assignment set rate_id = ? where job_id = ? and link = 0', [ids.vendorRate, ids.job]);
  await run('update company set primary_contact_id = ?, billing_contact_id = ? where id = ?', [
    contacts.company,
    contacts.project,
    companyId,
  ]);
  await run(`insert into phase (id, company_id, order_id, name, code, "primary") values (gen_random_uuid(), ?, ?, 'P', 'P', true)`, [
    ...[companyId, ids.order],
  ]);
  await run('update job set phase_id = (select id from phase where order_id = ?) where id = ?', [ids.order, ids.job]);
  await run('update app_user set label_ids = array[?]::uuid[], equipment_id = ? where company_id = ?', [
    ids.label,
    ids.equipment,
    companyId,
  ]);
  await run('update account set label_ids = array[?]::uuid[], department_id = ? where company_id = ?', [
    ids.label,
    ids.department,
    companyId,
  ]);
  await run('update equipment set label_ids = array[?]::uuid[], home_base_id = ? where company_id = ?', [ids.label, ids.site, companyId]);
  const [load] = (await run('select id from load where job_id = ? order by ordinality limit 1', [ids.job])) as { id: string }[];
  const about = { company: owner.company, order: ids.order, job: ids.job, load: load!.id };
  await owner.save(Ticket, { ...about, ticketNumber: 'T', account: priced, flagged: true });
  await owner.save(AiReview, { company: owner.company, load: load!.id, status: 'flagged', issues: [] });
  // Only finished jobs have a summary.
  await run(`update job set state = 'completed' where id = ?`, [ids.job]);
  await run(`update load set state = 'completed' where job_id = ?`, [ids.job]);
  const by = { signedByType: 'User', signedById: owner.driver.id, signedByName: 'Dora Wheel' };
  const image = { imageMimeType: 'image/png', imageName: 'canary.png', imageSize: 1, imageId: newId() };
  await owner.save(Signature, {
    companyId,
    type: 'DropoffSignature',
    signableType: 'Job',
    signableId: ids.job,
    jobId: ids.job,
    ...image,
    ...by,
  });
  await owner.save(FileAttachment, { ...attachmentFields(owner), fileAttachableType: 'Job', fileAttachableId: ids.job });
  for (const [what, id] of Object.entries(contacts)) canaries.name(what, id);
  for (const [what, id] of Object.entries({ requester, collaborator, salesperson, foreman: ids.foreman, driver: ids.driver }))
    canaries.name(what, id);
  canaries.note('foreman contact', contacts.foreman!);
  const [phase] = (await run('select id from phase where order_id = ?', [ids.order])) as { id: string }[];
  canaries.note('phase', phase!.id);
  canaries.name('customer', owner.account.id);
  for (const [what, id] of Object.entries({
    requester,
    collaborator,
    salesperson,
    account: owner.account.id,
    otherAccount: priced,
    hired: owner.vendor.id,
  }))
    canaries.keep(what, id);
  for (const what of ['department', 'label', 'customerRate', 'rate'] as const) canaries.keep(what, ids[what]);
  for (const what of ['sales', 'supervisor', 'collaborator', 'project']) canaries.keep(`${what} contact`, contacts[what]!);
}
