import { ref } from '@mikro-orm/core';
import { LinkedAccount } from '../../../src/billing/accounting/linked-account.entity.ts';
import { LinkedCustomer, LinkedItem, LinkedLedgerAccount, LinkedVendor } from '../../../src/billing/accounting/linked-records.entity.ts';
import { AddOn } from '../../../src/billing/add-ons/add-on.entity.ts';
import { AutoAddOnAssignment } from '../../../src/billing/auto-add-ons/auto-add-on-assignment.entity.ts';
import { AddOnCharge } from '../../../src/billing/charges/add-on-charge.entity.ts';
import { FuelPrice, FuelPriceIndex } from '../../../src/billing/fuel/fuel-price-index.entity.ts';
import { FuelSurchargeSchedule, FuelSurchargeSchedulePrice } from '../../../src/billing/fuel/fuel-surcharge-schedule.entity.ts';
import { Invoice, InvoiceLineItem } from '../../../src/billing/invoices/invoice.entity.ts';
import { SettlementEmailDelivery } from '../../../src/billing/settlements/sending/settlement-email-delivery.entity.ts';
import { Settlement } from '../../../src/billing/settlements/settlement.entity.ts';
import { ComplianceDocument, ComplianceDocumentType } from '../../../src/directory/compliance/compliance.entity.ts';
import { Contact } from '../../../src/directory/contacts/contact.entity.ts';
import { Rate } from '../../../src/directory/master-data/rate.entity.ts';
import { ScheduledTimeOff } from '../../../src/directory/people/time-off.entity.ts';
import { CompanyShare } from '../../../src/directory/shares/company-share.entity.ts';
import { RoutingGeofence } from '../../../src/directory/sites/geofence.entity.ts';
import { BulkAction } from '../../../src/dispatch/bulk/bulk-action.entity.ts';
import { DefaultSite } from '../../../src/dispatch/model/default-site.entity.ts';
import { DriverDay } from '../../../src/dispatch/model/driver-day.entity.ts';
import { Job } from '../../../src/dispatch/model/job.entity.ts';
import { JobAssignment } from '../../../src/dispatch/model/job-assignment.entity.ts';
import { Load } from '../../../src/dispatch/model/load.entity.ts';
import { Order } from '../../../src/dispatch/model/order.entity.ts';
import { Phase } from '../../../src/dispatch/model/phase.entity.ts';
import { Project } from '../../../src/dispatch/model/project.entity.ts';
import { MaterialRate } from '../../../src/dispatch/pricing/material-rate.entity.ts';
import { SiteRateSchedule } from '../../../src/dispatch/pricing/site-rate-schedule.entity.ts';
import { WebhookDelivery } from '../../../src/events/webhooks/webhook-delivery.entity.ts';
import { WebhookSubscription } from '../../../src/events/webhooks/webhook-subscription.entity.ts';
import { FileAttachment } from '../../../src/files/file-attachment.entity.ts';
import { ResourceScope } from '../../../src/identity/access/resource-scope.entity.ts';
import { RecordMerge } from '../../../src/merging/record-merge.entity.ts';
import { newId } from '../../../src/platform/ids.ts';
import { ApprovalAssignment } from '../../../src/proof/approvals/approval-assignment.entity.ts';
import { Signature } from '../../../src/proof/signatures/signature.entity.ts';
import { Ticket } from '../../../src/proof/ticket.entity.ts';
import { ResourceUsageLog } from '../../../src/proof/usage-logs/resource-usage-log.entity.ts';
import { ExportRun, ExportSchedule } from '../../../src/reporting/exports/export-schedule.entity.ts';
import { Report, ReportCategory } from '../../../src/reporting/reports/report.entity.ts';
import { TravelledDistance } from '../../../src/telematics/distances/travelled-distance.entity.ts';
import { GeofenceTrigger } from '../../../src/telematics/fences/geofence-trigger.entity.ts';
import { TelematicsRemoteVehicle } from '../../../src/telematics/fleets/remote-vehicle.entity.ts';
import { TelematicsFleet } from '../../../src/telematics/fleets/telematics-fleet.entity.ts';
import { LocationHistory } from '../../../src/telematics/positions/location-history.entity.ts';
import type { TestApp } from '../app.ts';
import { makeOwner, type Owner } from '../shares.ts';
import { attachmentFields, makeOrder, makeTenant, type Tenant } from '../tenant.ts';
import { neighboursOf } from './neighbours.ts';

/** A company with a child, and in the child a record of every kind with at least one part of every kind. */
export interface Family {
  parent: Tenant;
  child: Owner;
  /** Tokens of the parent's and the child's company admins. */
  admins: { parent: string; child: string };
  /** The child's records, by the argument that names them in most lists. */
  ids: Record<string, string>;
}

const HOUR = 3_600_000;

export async function makeFamily(app: TestApp): Promise<Family> {
  const parent = await makeTenant(app);
  const child = await makeOwner(app, { parentCompany: ref(parent.company) });
  const admin = async (tenant: Tenant) => (await tenant.person({ roles: ['company_admin'] })).token;
  const admins = { parent: await admin(parent), child: await admin(child) };
  const work = await workOf(child);
  const { managedCompany: managedCompanyId, managedUser: managedUserId } = await neighboursOf(child);
  const ids = { ...work, ...(await recordsOf(child, parent)), managedCompanyId, managedUserId };
  await hangOn(child, ids);
  return { parent, child, admins, ids };
}

/** Creates an accepted order, its finished job with a driver, its load, a ticket, and the driver day. */
async function workOf(child: Tenant) {
  const order = await makeOrder(child);
  await child.must('PUT', `/v1/orders/${order.id}/accept`, {});
  const [job] = await child.must('GET', `/v1/orders/${order.id}/jobs`);
  const [load] = await child.must('GET', `/v1/orders/${order.id}/loads`);
  await child.must('PATCH', `/v1/jobs/${job.id}`, { notes: 'By the river' });
  const em = child.app.orm.em.fork();
  const change = { driver: child.driver.id, state: 'completed' };
  await em.nativeUpdate(Job, { id: job.id }, change as never, { filters: { tenant: false } });
  const at = { order: ref(Order, order.id), job: ref(Job, job.id), load: ref(Load, load.id) };
  await child.save(Ticket, { company: ref(child.company), ...at, ticketNumber: 'T-1', quantity: '20', unitOfMeasure: 'Tonne' });
  const begins = Date.parse(order.load_at);
  const day = await child.save(DriverDay, {
    ...{ company: ref(child.company), driver: ref(child.driver.user), driverDayId: 'D-1', driverDayDate: order.load_at.slice(0, 10) },
    ...{ startsAt: new Date(begins - 20 * HOUR), endsAt: new Date(begins + 20 * HOUR), startedShiftAt: new Date(Date.now() - HOUR) },
  });
  await em.nativeUpdate(Job, { id: job.id }, { driverDayId: day.id }, { filters: { tenant: false } });
  return { orderId: order.id as string, jobId: job.id as string, loadId: load.id as string, driverDayId: day.id };
}

/** Creates a project, a person, a compliance document type for everybody, a bulk action and an import. */
async function recordsOf(child: Owner, parent: Tenant) {
  const company = ref(child.company);
  const account = ref(child.account);
  const project = await child.save(Project, { company, name: 'Ring road', number: 1, projectId: 'P-1', account });
  const type = await child.save(ComplianceDocumentType, { company, name: 'Insurance', requiredInternalDrivers: true });
  const paper = { company, complianceDocumentType: ref(type), compliantType: 'User' as const, compliantId: child.driver.id };
  await child.save(ComplianceDocument, paper);
  const action = await child.save(BulkAction, {
    ...{ company, kind: 'update', createdByType: 'User', createdById: child.driver.id, createdByName: 'Dora Wheel' },
    ...{ language: 'en', requestId: 'family', totalCount: 1, finishedAt: new Date() },
  });
  const imported = await child.must('POST', '/ingest/orders', { orders: [{ external_id: 'family' }] });
  const provided = { name: 'Trucks', provider: 'verizon_reveal', providerSource: 'axle', pollSeconds: 120 } as const;
  const fleet = await child.save(TelematicsFleet, { companyId: child.company.id, ...provided });
  const ofFleet = { companyId: child.company.id, telematicsFleetId: fleet.id, externalKey: '1', remoteVehicleExternalId: 1 };
  // The truck is suggested for it, because it has its name.
  const vehicle = await child.save(TelematicsRemoteVehicle, { ...ofFleet, remoteVehicleExternalName: child.truck.name });
  for (const [kind, id] of [['User', child.driver.id] as const, ['Equipment', child.truck.id] as const, ['Site', child.pickup.id] as const])
    await child.save(CompanyShare, {
      ...{ companyId: child.company.id, senderCompany: company, receiverCompany: ref(parent.company), dispatchable: true },
      ...{ companyShareableType: kind, companyShareableId: id },
    });
  const index = await child.save(FuelPriceIndex, { company, name: 'Gulf Coast' });
  await child.save(FuelPrice, { company, fuelPriceIndex: ref(index), date: '2026-11-16', price: '4.132' });
  const schedule = await child.save(FuelSurchargeSchedule, {
    ...{ company, name: 'Standard', surchargeType: 'percentage', fuelPriceIndex: ref(index) },
  });
  await child.save(FuelSurchargeSchedulePrice, { company, fuelSurchargeSchedule: ref(schedule), price: '4', billSurcharge: '2' });
  const linkedAccount = await child.save(LinkedAccount, { company, name: 'Books', sourceKey: 'books', system: 'file', status: 'linked' });
  const inBooks = { company, linkedAccount: ref(linkedAccount), externalKey: '1' };
  const data = { id: '1', name: 'Of the books', status: 'Active' };
  await child.save(LinkedCustomer, { ...inBooks, data: { ...data, id: child.account.id, addresses: [] } as never });
  await child.save(LinkedVendor, { ...inBooks, data: data as never });
  await child.save(LinkedItem, { ...inBooks, data: data as never });
  await child.save(LinkedLedgerAccount, { ...inBooks, data: { ...data, type: 'AccountsPayable' } as never });
  await child.save(AddOn, { company, name: 'Wash', addOnTypes: ['job'], quantity: '1' });
  const exportSchedule = await child.save(ExportSchedule, {
    ...{ company, name: 'Ours', list: 'orders', query: '', format: 'csv', frequency: 'daily', localTime: '06:00' },
    ...{
      recipients: ['office@example.com'],
      createdByType: 'User',
      createdById: child.driver.id,
      createdByName: 'Their office',
      language: 'en',
    },
  });
  await child.save(ExportRun, { company, exportSchedule: ref(exportSchedule), dueAt: new Date(), state: 'success' });
  await child.save(RecordMerge, { company, recordType: 'Material', keptId: child.material.id });
  const reportCategory = await child.save(ReportCategory, { company, name: 'Ours' });
  await child.save(Report, { company, name: 'Our loads', reportCategory: ref(reportCategory), dashboardId: 'loads_by_day' });
  const webhook = await child.save(WebhookSubscription, {
    company,
    url: 'https://hooks.example',
    triggerNames: ['Order::skip'],
    publicKey: 'whpk_',
  });
  await child.save(WebhookDelivery, {
    ...{
      company,
      subscription: ref(webhook),
      eventId: newId(),
      eventTime: new Date(),
      trigger: 'Order::skip',
      subjectId: newId(),
      sequence: '1',
    },
    ...{ sourceCompanyId: child.company.id, dueAt: new Date() },
  });
  return {
    ...{ linkedAccountId: linkedAccount.id, webhookSubscriptionId: webhook.id, reportCategoryId: reportCategory.id },
    exportScheduleId: exportSchedule.id,
    ...{ fuelPriceIndexId: index.id, fuelSurchargeScheduleId: schedule.id },
    ...{ projectId: project.id, bulkActionId: action.id, id: imported.batch_id as string, siteId: child.pickup.id },
    ...{ userId: child.driver.id, driverId: child.driver.id, compliantId: child.driver.id },
    ...{ accountId: child.account.id, equipmentId: child.truck.id, fleetId: fleet.id, telematicsRemoteVehicleId: vehicle.id },
  };
}

/** Creates parts of each of them. */
async function hangOn(child: Tenant, ids: Record<string, string>): Promise<void> {
  const { id: companyId } = child.company;
  const company = ref(child.company);
  const { orderId, projectId, siteId, jobId, loadId, driverDayId } = ids;
  // The ticket is one of those that an agency takes of the project.
  await child.app.orm.em.fork().nativeUpdate(Order, { id: orderId! }, { project: projectId! } as never, { filters: { tenant: false } });
  for (const whose of [{ orderId }, { projectId }]) {
    await child.save(Phase, { companyId, name: 'Earthworks', ...whose });
    await child.save(DefaultSite, { companyId, waypointType: 'pickup', site: ref(child.pickup), ...whose });
  }
  const things = { Order: orderId, Project: projectId, Job: jobId, Load: loadId, DriverDay: driverDayId };
  for (const [fileAttachableType, fileAttachableId] of Object.entries(things))
    await child.save(FileAttachment, { ...attachmentFields(child), fileAttachableType, fileAttachableId });
  const signedBy = { signedByType: 'User', signedById: child.driver.id, signedByName: 'Dora Wheel' };
  const image = { imageMimeType: 'image/png', imageName: 'sign.png', imageSize: 1 };
  const signed: [string, object][] = [
    ['Job', { signableId: jobId, jobId }],
    ['Load', { signableId: loadId, jobId }],
    ['DriverDay', { signableId: driverDayId, driverDayId }],
  ];
  for (const [signableType, about] of signed)
    await child.save(Signature, { companyId, type: 'DriverSignature', signableType, ...about, imageId: newId(), ...image, ...signedBy });
  const approved = { approvalAction: 'approve', approvalCategory: 'billing', approvalType: 'biller', approverType: 'User' };
  for (const [approvableType, approvableId] of [['Job', jobId] as const, ['Load', loadId] as const, ['DriverDay', driverDayId] as const])
    await child.save(ApprovalAssignment, { company, approvableType, approvableId, ...approved, approverId: child.driver.id });
  const used = { company, driver: ref(child.driver.user), usageMinutes: 60, dateOfUse: '2026-12-01', driverDayId, jobId };
  await child.save(ResourceUsageLog, { ...used, resourceUsageLoggableType: 'DriverDay', resourceUsageLoggableId: driverDayId });
  await child.save(ResourceUsageLog, { ...used, resourceUsageLoggableType: 'Job', resourceUsageLoggableId: jobId });
  await child.save(ResourceUsageLog, { ...used, resourceUsageLoggableType: 'Load', resourceUsageLoggableId: loadId, loadId });
  for (const whose of [{ job: ref(Job, jobId!) }, { driverDay: ref(DriverDay, driverDayId!) }])
    await child.save(AddOnCharge, { company, ...whose, name: 'Wash', quantity: '1', revenueRateValue: '25', percentage: '0' });
  const billed = { currency: 'USD', serviceDate: '2026-12-01', job: ref(Job, jobId!), order: ref(Order, orderId!) } as const;
  const invoice = await child.save(Invoice, { company, side: 'receivable', number: 1, invoiceId: 'INV-1', state: 'pending', ...billed });
  ids.invoiceId = invoice.id;
  const { job: _job, order: _order, ...paid } = { ...billed, driverDay: ref(DriverDay, driverDayId!) };
  for (const [i, side] of (['payable', 'receivable'] as const).entries())
    await child.save(Invoice, { company, side, number: 2 + i, invoiceId: `INV-${2 + i}`, state: 'pending', ...paid });
  const late = { part: 2, reason: 'late_ticket', parentInvoice: ref(invoice) } as const;
  await child.save(Invoice, { company, side: 'receivable', number: 4, invoiceId: 'INV-4', state: 'pending', ...billed, ...late });
  const line = { deliveredQuantity: '1', quantity: '1', rate: '2', totalAmount: '2', lineItemType: 'InvoiceLineItem' };
  await child.save(InvoiceLineItem, { company, invoice: ref(invoice), ordinality: 0, ...line });
  const applied = { addOnApplicableType: 'Invoice', addOnApplicableId: invoice.id, quantity: '1', revenueRateValue: '25', percentage: '0' };
  await child.save(AddOnCharge, { company, name: 'Wash', ...applied });
  const sums = { invoicesTotalAmount: '2', adjustmentsTotalAmount: '0', addOnChargesTotalAmount: '25', totalAmount: '27', jobsCount: 1 };
  const bill = { company, side: 'receivable', number: 1, currency: 'USD', ...sums, deliveredQuantities: [], state: 'pending' } as const;
  const settlement = await child.save(Settlement, {
    ...bill,
    customerAccount: ref(child.account),
    startsOn: '2026-12-01',
    endsOn: '2026-12-01',
  });
  ids.settlementId = settlement.id;
  await child.save(SettlementEmailDelivery, { company, settlement: ref(settlement), email: 'bills@example.com' });
  await child.save(FileAttachment, { ...attachmentFields(child), fileAttachableType: 'Settlement', fileAttachableId: settlement.id });
  const taken = [settlement.id, invoice.id, child.company.id];
  const em = child.app.orm.em.fork();
  await em.getConnection().execute('insert into settlement_invoice (settlement_id, invoice_id, company_id) values (?, ?, ?)', taken);
  await child.save(AddOnCharge, {
    company,
    name: 'Discount',
    ...applied,
    addOnApplicableType: 'Settlement',
    addOnApplicableId: settlement.id,
  });
  const link = await child.save(JobAssignment, {
    ...{ job: ref(Job, jobId!), link: 0, customerCompanyId: companyId, vendorAccount: ref(child.vendor) },
  });
  const place = { userId: child.driver.id, deviceId: 'phone', occurredAt: new Date(), lat: '30.25', lon: '-97.75' };
  const position = await child.save(LocationHistory, { companyId, jobId, ...place });
  const drove = {
    companyId,
    administrativeArea: 'Texas',
    travelledDistanceType: 'loaded',
    travelledDistanceMeters: '1',
    driverDayId,
  } as const;
  await child.save(TravelledDistance, { ...drove, travellerType: 'DriverDay', travellerId: driverDayId });
  await child.save(TravelledDistance, { ...drove, travellerType: 'Job', travellerId: jobId, jobId, orderId });
  await child.save(TravelledDistance, { ...drove, travellerType: 'Load', travellerId: loadId, jobId, orderId });
  const { userId: assetId, occurredAt, lat, lon } = place;
  await child.save(GeofenceTrigger, {
    ...{ companyId, assetType: 'driver', assetId, fenceId: newId(), geofenceTriggerType: 'enter', occurredAt, confirmedAt: occurredAt },
    ...{ locationId: position.id, lat, lon, job: ref(Job, jobId!), state: 'applied', confidence: '1' },
  });
  const price = { company, material: ref(child.material), unitOfMeasure: 'Ton', project: ref(Project, projectId!) };
  await child.save(MaterialRate, price);
  const schedule = await child.save(SiteRateSchedule, { company, project: ref(Project, projectId!) });
  const rateCard = await child.save(Rate, { company, name: 'Card', timeRate: '90' });
  Object.assign(ids, { jobAssignmentId: link.id, siteRateScheduleId: schedule.id, rateId: rateCard.id });
  const addOn = ref(await child.save(AddOn, { company, name: 'Washing by itself', addOnTypes: ['invoicing'], quantity: '1' }));
  const terms = { company, addOn, name: 'Wash', addOnTypes: ['invoicing'], quantity: '1', revenueRateValue: '25', percentage: '0' };
  for (const whose of [
    ...[{ account: ref(child.account) }, { driver: ref(child.driver.user), side: 'driver' }, { rateCard: ref(rateCard), side: 'driver' }],
    ...[{ project: ref(Project, projectId!) }, { siteRateSchedule: ref(schedule) }, { order: ref(Order, orderId!) }],
    ...[{ job: ref(Job, jobId!) }, { jobAssignment: ref(link), side: 'vendor' }],
  ])
    await child.save(AutoAddOnAssignment, { side: 'customer', ...terms, ...whose });
  await child.save(RoutingGeofence, { company, siteId });
  await child.save(Contact, { companyId, siteId, name: 'Gate' });
  for (const whose of [{ user: ref(child.driver.user) }, { account: ref(child.account) }])
    await child.save(ScheduledTimeOff, { company, ...whose, startDate: new Date(), endDate: null });
  await child.save(ResourceScope, { company, user: ref(child.driver.user), site: ref(child.pickup) });
  const item = [newId(), companyId, ids.bulkActionId, jobId];
  await child.app.orm.em.execute(
    "insert into bulk_action_item (id, company_id, bulk_action_id, job_id, item_index, state, input) values (?, ?, ?, ?, 0, 'done', '{}')",
    item,
  );
}
