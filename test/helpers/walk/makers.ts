import { ref } from '@mikro-orm/core';
import { Account } from '../../../src/directory/accounts/account.entity.ts';
import { Material } from '../../../src/directory/master-data/named.entities.ts';
import { IamRole } from '../../../src/directory/people/iam-role.entity.ts';
import { User } from '../../../src/directory/people/user.entity.ts';
import { Site } from '../../../src/directory/sites/site.entity.ts';
import { BulkAction } from '../../../src/dispatch/bulk/bulk-action.entity.ts';
import { DefaultSite } from '../../../src/dispatch/model/default-site.entity.ts';
import { DispatchNumber } from '../../../src/dispatch/model/dispatch-number.entity.ts';
import { DriverDay } from '../../../src/dispatch/model/driver-day.entity.ts';
import { DriverStateEvent } from '../../../src/dispatch/model/driver-state.entity.ts';
import { Job } from '../../../src/dispatch/model/job.entity.ts';
import { JobAssignment } from '../../../src/dispatch/model/job-assignment.entity.ts';
import { JobEvent } from '../../../src/dispatch/model/job-event.entity.ts';
import { Load } from '../../../src/dispatch/model/load.entity.ts';
import { Order } from '../../../src/dispatch/model/order.entity.ts';
import { Project } from '../../../src/dispatch/model/project.entity.ts';
import { MaterialRate } from '../../../src/dispatch/pricing/material-rate.entity.ts';
import { SiteRateSchedule } from '../../../src/dispatch/pricing/site-rate-schedule.entity.ts';
import { DirectUpload } from '../../../src/files/direct-upload.entity.ts';
import { FileAttachment } from '../../../src/files/file-attachment.entity.ts';
import { signId } from '../../../src/files/signed-ids.ts';
import { ResourceScope } from '../../../src/identity/access/resource-scope.entity.ts';
import { makeMachineClient } from '../../../src/identity/machine-clients/machine-clients.ts';
import { newId } from '../../../src/platform/ids.ts';
import { BulkDownload } from '../../../src/proof/downloads/bulk-download.entity.ts';
import { Signature } from '../../../src/proof/signatures/signature.entity.ts';
import { Ticket } from '../../../src/proof/ticket.entity.ts';
import { ResourceUsageLog } from '../../../src/proof/usage-logs/resource-usage-log.entity.ts';
import { GeofenceTrigger } from '../../../src/telematics/fences/geofence-trigger.entity.ts';
import { TelematicsRemoteVehicle } from '../../../src/telematics/fleets/remote-vehicle.entity.ts';
import { TelematicsFleet } from '../../../src/telematics/fleets/telematics-fleet.entity.ts';
import { neighboursOf } from '../isolation/neighbours.ts';
import { openSession } from '../session.ts';
import { attachmentFields, makeOrder, type Tenant } from '../tenant.ts';
import { APPROVED, billingMakers, finishedJobOf } from './billing-makers.ts';
import { connectedAccountOf } from './connected-account.ts';
import { directoryMakers } from './directory.ts';
import { eventsMakers } from './events.ts';
import type { Ids } from './ids.ts';
import { mergingMakers } from './merging.ts';
import { snake, wired } from './names.ts';
import { once } from './once.ts';
import { reportingMakers } from './reporting.ts';
import { connectionInput } from './samples.ts';
import { sandboxMakers } from './sandbox.ts';

let reached = 0;
/** Returns an e-mail address and a telephone number that no other record of this file's database has. */
export const reach = () => ({ email: `walt${++reached}@example.com`, phone: `+1415${2_000_000 + reached}` });

/**
 * Creates an order with a job and a load, and one record of every other kind.
 * @param root the field they are for
 * @param only the kinds that are required; all by default (`idsUsed` returns them)
 */
export async function makeIds(tenant: Tenant, root?: string, only?: ReadonlySet<string>): Promise<Ids> {
  const company = ref(tenant.company);
  const named = `Walk ${++walks} ${Math.random().toString(36).slice(2)}`;
  const own = { company, name: named };
  const order = once(() => makeOrder(tenant, { truck_count: 2 }));
  const site = once(() => tenant.save(Site, own));
  const isDefault = async (of: object) =>
    saved(DefaultSite, { companyId: tenant.company.id, waypointType: 'pickup', site: ref(await site()), ...of });
  const neighbour = once(() => neighboursOf(tenant, root));
  const saved = async <T extends { id: string }>(type: new () => T, fields: object) => (await tenant.save(type, fields)).id;
  const change = (id: string, to: object) =>
    tenant.app.orm.em.fork().nativeUpdate(Job, { id }, to as never, { filters: { tenant: false } });
  const changeLoad = (id: string, to: object) =>
    tenant.app.orm.em.fork().nativeUpdate(Load, { id }, to as never, { filters: { tenant: false } });
  const jobs = once(async (): Promise<{ id: string }[]> => tenant.must('GET', `/v1/orders/${(await order()).id}/jobs`));
  // Drivers are merged into a driver.
  const roles = root === 'mergeDrivers' ? ['driver'] : [];
  const user = once(() => tenant.save(User, { company, firstName: 'Walt', lastName: 'Haul', roles, ...reach() } as Partial<User>));
  const account = once(() => tenant.save(Account, own));
  const former = once(async () => (await tenant.person({ roles: [], discardedAt: new Date() })).user);
  const imported = once(async () => tenant.must('POST', '/ingest/orders', { orders: [{ external_id: named }] }));
  const fleet = once(() => {
    const of = { provider: 'verizon_reveal', providerSource: 'axle', pollSeconds: 120 };
    return tenant.save(TelematicsFleet, { companyId: tenant.company.id, name: named, ...of });
  });
  const signed = async (signableType: 'DriverDay' | 'Job' | 'Load', signableId: string, about: object) => {
    const by = { signedByType: 'User', signedById: tenant.driver.id, signedByName: 'Dora Wheel' };
    const image = { imageMimeType: 'image/png', imageName: 'walk.png', imageSize: 1 };
    for (const type of ['DriverSignature', 'DropoffSignature'])
      await saved(Signature, { companyId: tenant.company.id, type, signableType, signableId, ...about, imageId: newId(), ...image, ...by });
  };
  const agreement = (letter: string) => ({
    ...{ company, name: `${named} ${letter}`, number: 1_000_000 + ++agreements },
    ...{ projectId: `${letter}-${named}`, account: ref(tenant.account) },
  });
  // A driver has one day for each date.
  const driverDay = once(async () => {
    const startsAt = root === 'createDriverDayResourceUsageLog' ? new Date('2026-12-01') : new Date(Date.UTC(2000, 0, ++days));
    const date = { driverDayDate: startsAt.toISOString().slice(0, 10), startsAt, endsAt: new Date(startsAt.getTime() + 86_400_000) };
    const ended = /^((un)?approve|updateDriverDay)/.test(root ?? '')
      ? { endedShiftAt: startsAt, ...(root === 'unapproveDriverDay' ? APPROVED : {}) }
      : {};
    const id = await saved(DriverDay, { company, driver: ref(await user()), driverDayId: `D-${named}`, ...date, ...ended });
    if (root === 'removeDriverDaySignature') await signed('DriverDay', id, { driverDayId: id });
    return id;
  });
  const makers: Record<keyof Ids, () => Promise<string> | string> = {
    upload: async () => {
      const contentType = root === 'setTicketImage' ? 'image/jpeg' : 'image/png';
      const content = { filename: 'walk.png', byteSize: 1, checksum: '', contentType, fileName: 'walk.png', sha256: '' };
      const by = { companyId: tenant.company.id, createdByType: 'User', createdById: tenant.driver.id };
      const expiresAt = new Date(Date.now() + 3_600_000);
      const id = await saved(DirectUpload, { ...content, ...by, expiresAt, fileId: newId() });
      return signId(tenant.app.application, 'attach', { id, companyId: tenant.company.id, expires: expiresAt.getTime() });
    },
    dispatchNumber: () => saved(DispatchNumber, own),
    service: () => tenant.service.id,
    m2mClient: async () => {
      const em = tenant.app.orm.em.fork();
      const { client } = makeMachineClient(em, tenant.company, { name: 'Sender', permissions: ['manage_machine_clients'] });
      await em.flush();
      return client.id;
    },
    ...directoryMakers(own, tenant, saved, {
      account: async () => (await account()).id,
      user: async () => (await user()).id,
      site: async () => (await site()).id,
      equipment: async () => (await neighbour()).equipment,
      phone: () => reach().phone,
    }),
    ...eventsMakers(tenant, saved),
    ...reportingMakers(tenant, saved),
    ...mergingMakers(tenant, saved),
    ...sandboxMakers(tenant, saved),
    driver: async () => {
      if (root !== 'setDriverOffDuty') return tenant.driver.id;
      // A driver who was never on duty has nothing to end.
      const { user } = await tenant.person({ roles: ['driver'] });
      await saved(DriverStateEvent, { company, userId: user.id, state: 'on_duty', startedAt: new Date() });
      return user.id;
    },
    driverDay: () => driverDay(),
    resourceUsageLog: async () => {
      const [driverDayId, jobId] = [await driverDay(), (await jobs())[0]!.id];
      const about = { resourceUsageLoggableType: 'DriverDay', resourceUsageLoggableId: driverDayId, driverDayId, jobId } as const;
      return saved(ResourceUsageLog, { ...about, company, driver: ref(await user()), usageMinutes: 1, dateOfUse: '2000-01-01' });
    },
    jobEvent: async () => {
      const of = { job: ref(Job, (await jobs())[0]!.id), eventName: 'AtPickup', state: 'accepted', occurredAt: new Date() };
      return saved(JobEvent, { companyId: tenant.company.id, ...of, createdByType: 'System' });
    },
    geofenceTrigger: async () => {
      const of = { companyId: tenant.company.id, job: ref(Job, (await jobs())[0]!.id), assetType: 'driver', assetId: tenant.driver.id };
      const crossing = { fenceId: newId(), locationId: newId(), geofenceTriggerType: 'enter', waypointType: 'pickup', state: 'proposed' };
      const at = { occurredAt: new Date(), confirmedAt: new Date(), lat: '30', lon: '-97', confidence: '0.4' };
      return saved(GeofenceTrigger, { ...of, ...crossing, ...at });
    },
    foreman: async () => (await tenant.person({ firstName: 'Fay', lastName: 'Foreman', roles: ['foreman'] })).user.id,
    order: async () => {
      const { id } = await order();
      if (root === 'removeOrderDefaultSite') await isDefault({ orderId: id });
      if (root?.startsWith('text')) await change((await jobs())[0]!.id, { driver: (await user()).id, state: 'assigned' });
      return id;
    },
    job: async () => {
      const { id } = (await jobs())[0]!;
      if (root?.startsWith('text')) await change(id, { driver: (await user()).id, state: 'assigned' });
      if (root === 'handOverJob') await change(id, { driver: (await user()).id, state: 'load_completed' });
      if (root === 'removeJobSignature') await signed('Job', id, { jobId: id });
      return id;
    },
    finishedJob: async () => {
      const { id } = (await jobs())[1]!;
      await change(id, { state: 'completed', ...(root === 'unapproveJob' ? APPROVED : {}) });
      if (root === 'askForMissingTickets') await change(id, { driver: (await user()).id });
      if (root === 'waiveMissingTickets' || root === 'askForMissingTickets') {
        const em = tenant.app.orm.em.fork();
        await em.nativeUpdate(Order, { id: (await order()).id }, { chaseMissingTickets: true }, { filters: { tenant: false } });
        await em.nativeUpdate(Load, { job: id }, { state: 'completed' }, { filters: { tenant: false } });
      }
      return id;
    },
    load: async () => {
      const { id } = (await tenant.must('GET', tenant.path(`/orders/${(await order()).id}/loads`)))[0];
      if (root === 'removeLoadSignature') await signed('Load', id, { jobId: (await jobs())[0]!.id });
      if (/^(un)?approve/.test(root ?? '')) await changeLoad(id, { state: 'completed', ...(root === 'unapproveLoad' ? APPROVED : {}) });
      return id;
    },
    project: async () => {
      const id = await saved(Project, agreement('P'));
      if (root === 'removeProjectDefaultSite') await isDefault({ projectId: id });
      return id;
    },
    siteRateSchedule: async () => saved(SiteRateSchedule, { company, project: ref(Project, await saved(Project, agreement('S'))) }),
    materialRate: async () =>
      saved(MaterialRate, {
        company,
        unitOfMeasure: 'Ton',
        material: ref(await tenant.save(Material, { ...own, name: `${named} priced` })),
      }),
    ...billingMakers(own, saved, {
      root,
      job: async () => (await jobs())[0]!.id,
      finishedJob: () => finishedJobOf(tenant),
      connectedAccount: () => connectedAccountOf(tenant),
      account: async () => (await account()).id,
      driverDay: () => driverDay(),
      driver: tenant.driver.id,
      sql: (text, values) => tenant.app.orm.em.fork().getConnection().execute(text, values),
    }),
    inactiveProject: () => saved(Project, { ...agreement('Q'), state: 'inactive' }),
    company: () => tenant.company.id,
    platform: () => tenant.company.platformId,
    childCompany: async () => (await neighbour()).childCompany,
    partner: async () => (await neighbour()).partner,
    companyShare: async () => (await neighbour()).companyShare,
    managedCompany: async () => (await neighbour()).managedCompany,
    managedShare: async () => (await neighbour()).managedShare,
    managedSite: async () => (await neighbour()).managedSite,
    managedUser: async () => (await neighbour()).managedUser,
    managedScope: async () => (await neighbour()).managedScope,
    equipment: async () => (await neighbour()).equipment,
    inactiveEquipment: async () => (await neighbour()).inactiveEquipment,
    managedTruck: async () => (await neighbour()).managedTruck,
    managedType: async () => (await neighbour()).managedType,
    companyShareable: () => tenant.driver.id,
    compliant: async () => (await user()).id,
    jobAssignment: async () =>
      saved(JobAssignment, {
        job: ref(Job, (await jobs())[1]!.id),
        link: 0,
        customerCompanyId: tenant.company.id,
        vendorAccount: ref(tenant.vendor),
      }),
    site: async () => (await site()).id,
    account: async () => (await account()).id,
    managedAccount: async () => (await neighbour()).managedAccount,
    importedRecord: async () => (await imported()).records[0].id,
    importBatch: async () => (await imported()).batch_id,
    fileAttachment: async () => saved(FileAttachment, { ...attachmentFields(tenant), fileAttachableId: (await order()).id }),
    ticket: async () => {
      const picture = root === 'removeTicketImage' ? { foreignImageUrl: 'https://example.com/ticket.jpg' } : {};
      if (root === 'amendTicket') Object.assign(picture, { state: 'approved' });
      return saved(Ticket, { company, order: ref(Order, (await order()).id), ticketNumber: `T-${named}`, ...picture });
    },
    ssoConnection: async () =>
      (await tenant.must('POST', tenant.path('/sso_connections'), wired(connectionInput(), snake), await tenant.administrator())).id,
    iamRole: () => saved(IamRole, { company, name: `Yard clerk ${named}` }),
    user: async () => (await user()).id,
    userSession: async () => openSession(tenant.app.orm, await user()),
    formerUser: async () => (await former()).id,
    resourceScope: async () => saved(ResourceScope, { company, user: ref(await former()), site: ref(tenant.pickup) }),
    bulkAction: () =>
      saved(BulkAction, {
        ...{ company, kind: 'accept', createdByType: 'User', createdById: tenant.driver.id, createdByName: 'Walt Haul' },
        ...{ language: 'en', requestId: 'walk', totalCount: 0, finishedAt: new Date() },
      }),
    bulkDownload: () =>
      saved(BulkDownload, {
        ...{ companyId: tenant.company.id, createdByType: 'User', createdById: tenant.driver.id, type: 'zip', state: 'success' },
        ...{ fileCount: 0, files: [], expiresAt: new Date(Date.now() + 3_600_000) },
      }),
    publicToken: async () => {
      const { link_token } = await tenant.must('POST', '/v1/integrations/link_tokens', {});
      const set = { body: { system: 'file', name: named }, headers: { accept: 'application/json' } };
      return (await tenant.app.http('POST', `/accounting/setup/${link_token}`, set)).body.public_token;
    },
    fleet: async () => (await fleet()).id,
    telematicsRemoteVehicle: async () => {
      const of = { companyId: tenant.company.id, telematicsFleetId: (await fleet()).id, externalKey: named };
      return saved(TelematicsRemoteVehicle, { ...of, remoteVehicleExternalId: 1, remoteVehicleExternalName: named });
    },
  };
  const ids = {} as Ids;
  for (const [kind, make] of Object.entries(makers) as [keyof Ids, () => Promise<string> | string][])
    if (!only || only.has(kind)) ids[kind] = await make();
  return ids;
}

let walks = 0;
let agreements = 0;
let days = 0;
