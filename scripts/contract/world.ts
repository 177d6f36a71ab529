import { call, type Product, signIn } from '../real/product.ts';
import { connectFleet } from './fleet.ts';

/** The records that must exist before every operation can be called: a managed company, what it shares, and somebody with a limit. */
export interface World {
  companyId: string;
  managedCompanyId: string;
  /** The managed company's account for the managing one, and the reverse. */
  managedAccountId: string;
  accountId: string;
  /** A truck of the caller's company. */
  truckId: string;
  /** Companies without a connection. */
  strangers: { id: string; platform_id: string }[];
  /** One that will be a customer on the platform. */
  customerCompanyId: string;
  /** Six digits by which companies find each other. */
  platformId: string;
  /** The built-in role of drivers. */
  driverRoleId: string;
  /** A person and a site of the managed company. */
  managedUserId: string;
  managedSiteId: string;
  siteId: string;
  /** Drivers who are not shared. */
  driverIds: string[];
  /** Shares of other drivers with the managed company: to be read, changed and ended. */
  shareIds: string[];
  /** A customer's account, and that of the managed company, which is a vendor. */
  customerId: string;
  vendorId: string;
  /** The caller. */
  ownId: string;
  /** The administrator of the platform. */
  platformAdmin: string;
  /** A driver who is on duty, and their day. */
  driverToken: string;
  driverDayId: string;
  dayDriverId: string;
  /** A fleet of a telematics provider, and its vehicle. */
  fleetId: string;
  vehicleId: string;
  /** Of the company, whose days are dates there. */
  timeZone: string;
}

/** Returns the date of a moment where the company is. */
export const dateIn = (timeZone: string, moment: Date): string => new Intl.DateTimeFormat('en-CA', { timeZone }).format(moment);

/** Creates the missing records in the demo company. @param token of its administrator */
export async function prepare(
  product: Product,
  { url, token, companyId }: { url: string; token: string; companyId: string },
): Promise<World> {
  const data = <T>(method: string, path: string, body?: object) => call<T>(url, token, method, path, body);
  type Named = { id: string; name: string };
  const { token: platformAdmin } = await signIn(product, 'platform_admin');
  const invited = await data<{ id: string; connected_company: { id: string }; connected_account: { id: string } }>(
    'POST',
    '/v1/accounts/invite',
    {
      name: 'Contract haulage',
      contact: { name: 'Con Tract', email: 'contract-haulage@example.com' },
      address: { thoroughfare: '2 Pit Rd', locality: 'Austin', administrative_area: 'TX', postal_code: '78701', country: 'US' },
      account_types: ['vendor'],
      auto_accept_orders: false,
      equipment: { name: 'Contract truck', equipment_type_name: 'Contract type' },
    },
  );
  const managedCompanyId = invited.connected_company.id;
  const managed = `/v1/companies/${companyId}/managed_companies/${managedCompanyId}`;
  // The importer notes what a vendor calls its trucks.
  const ticket = { service_date: new Date().toISOString(), quantity: 1, unit_of_measure: 'Ton', vendor: { name: 'Contract haulage' } };
  await data('POST', '/ingest/tickets', { tickets: [1, 2].map((n) => ({ ...ticket, ticket_number: `C-${n}`, truck_id: `Red ${n}` })) });
  await data('PUT', managed, {});
  const driverRoleId = (await data<Named[]>('GET', '/v1/iam_roles')).find(({ name }) => name === 'Driver')!.id;
  const site = {
    name: 'Contract yard',
    site_type: 'Depot',
    address: { thoroughfare: '3 Pit Rd', locality: 'Austin', administrative_area: 'TX', postal_code: '78701', country: 'US' },
  };
  const managedSite = await call<Named>(url, platformAdmin, 'POST', `/v1/companies/${managedCompanyId}/sites`, site);
  const person = (company_id: string, email: string) => ({
    company_id,
    first_name: 'Con',
    last_name: 'Tract',
    email,
    iam_role_ids: [driverRoleId],
    phone: '',
  });
  const managedUser = await data<Named>('POST', `${managed}/users`, {
    ...person(managedCompanyId, 'contract-driver@example.com'),
    phone: '+15125559001',
  });
  const drivers: string[] = [];
  for (let n = 0; n < 6; n++) {
    const made = await data<Named>('POST', '/v1/users', {
      ...person(companyId, `contract-driver-${n}@example.com`),
      phone: `+1512555910${n}`,
    });
    drivers.push(made.id);
  }
  await data('POST', `/v1/companies/${companyId}/compliance_document_types`, { name: 'Contract document' });
  const shareIds: string[] = [];
  for (const company_shareable_id of drivers.slice(0, 3)) {
    const share = { receiver_company_id: managedCompanyId, company_shareable_id, company_shareable_type: 'User' };
    shareIds.push((await data<Named>('POST', `/v1/companies/${companyId}/company_shares`, share)).id);
  }
  const strangers = await Promise.all(
    [1, 2, 3].map((n) => call<World['strangers'][0]>(url, platformAdmin, 'POST', '/v1/companies', companyBody(`Contract stranger ${n}`))),
  );
  const { token: driverToken } = await signIn(product, 'driver');
  await call(url, driverToken, 'PUT', '/v1/users/me/driver_state/on_duty', {});
  const { id: dayDriverId } = await call<{ id: string }>(url, driverToken, 'GET', '/v1/users/me');
  const company = await data<{ platform_id: string; time_zone: string }>('GET', `/v1/companies/${companyId}`);
  const today = dateIn(company.time_zone, new Date());
  const days = `/v1/companies/${companyId}/driver_days?filter[driver_ids][]=${dayDriverId}&filter[start_date]=${today}&filter[end_date]=${today}`;
  const [day] = await data<{ id: string }[]>('GET', days);
  return {
    companyId,
    managedCompanyId,
    managedAccountId: invited.connected_account.id,
    accountId: invited.id,
    truckId: (await data<Named[]>('GET', '/v1/equipment?filter%5Bshared%5D=false'))[0]!.id,
    strangers,
    customerCompanyId: strangers[2]!.id,
    platformId: company.platform_id,
    driverRoleId,
    managedUserId: managedUser.id,
    managedSiteId: managedSite.id,
    siteId: (await data<Named[]>('GET', '/v1/sites'))[0]!.id,
    driverIds: drivers.slice(3),
    shareIds,
    customerId: (await data<Named[]>('GET', '/v1/accounts?filter%5Baccount_types%5D%5B%5D=customer'))[0]!.id,
    vendorId: invited.id,
    ownId: (await data<Named>('GET', '/v1/users/me')).id,
    platformAdmin,
    driverToken,
    driverDayId: day!.id,
    dayDriverId,
    ...(await connectFleet({ url, token })),
    timeZone: company.time_zone,
  };
}

/** Returns the fields of an operation's body that its shape does not require, such as ids of records that fit together. */
export function bodyMore(name: string, world: World): object {
  const { companyId, managedCompanyId } = world;
  const reach = {
    email: `contract-${name.length}.${++made}@example.com`,
    phone: `+1512555${9200 + made}`,
    iam_role_ids: [world.driverRoleId],
  };
  const from = (id: string) => ({ company_shareable_type: 'User', company_shareable_id: id });
  switch (name) {
    case 'POST /v1/users':
      return { company_id: companyId, ...reach };
    case 'POST /v1/companies/{company-id}/managed_companies/{managed-company-id}/users':
      return { company_id: managedCompanyId, ...reach };
    case 'POST /v1/users/{user-id}/resource_scopes':
      return { resource_id: world.siteId };
    case 'POST /v1/companies/{company-id}/managed_companies/{managed-company-id}/users/{user-id}/resource_scopes':
      return { resource_id: world.managedSiteId };
    case 'POST /v1/companies/{company-id}/company_shares':
      return { receiver_company_id: managedCompanyId, ...from(world.driverIds[0]!) };
    case 'POST /v1/companies/{company-id}/managed_companies/{managed-company-id}/company_shares':
      return { receiver_company_id: companyId, ...from(world.managedUserId) };
    case 'POST /v1/jobs/{job-id}/equipment':
      return { equipment_id: world.truckId };
    case 'POST /v1/accounts/connected':
      return { sender_company_id: companyId, receiver_company_id: world.strangers[0]!.id };
    case 'POST /v1/companies/{company-id}/accounts/connected':
      return { platform_id: world.strangers[1]!.platform_id };
    case 'POST /v1/accounts/invite':
    case 'POST /v1/companies/{company-id}/accounts/invite':
      return { contact: { name: 'Con Tract', email: reach.email } };
    case 'PATCH /v1/accounts/bulk_update':
      return { data: [{ id: world.accountId, connected_account: { truck_count: 3 } }] };
    case 'POST /v1/driver_days/{driver-day-id}/resource_usage_logs':
      return usageOfDay(world);
    // The type that is sent needs them, whatever the rate card was before.
    case 'PATCH /v1/rates/{id}':
      return { time_rate: 5, time_minimum_minutes: 0, time_increment_minutes: 0 };
    case 'PATCH /v1/driver_days/{driver-day-id}/resource_usage_logs':
      return { resource_usage_logs: [usageOfDay(world)] };
    case 'POST /v1/companies/{company-id}/drivers/geofence_triggers':
    case 'POST /v1/companies/{company-id}/equipment/geofence_triggers':
      return { geofences: [{ geofence: { name: 'Pit', type: 'circle', circle_center: { lat: 30.2, lon: -97.2 }, circle_radius: 150 } }] };
    case 'POST /v1/orders/estimate':
    case 'POST /v1/companies/{company-id}/orders/estimate':
      return { total_loads: 8, truck_quantity: undefined, total_units: undefined };
    default:
      return {};
  }
}

/** A minute of the driver's day, who is still on duty. */
const usageOfDay = ({ dayDriverId, timeZone }: World) => ({
  usage_minutes: 1,
  driver_id: dayDriverId,
  date_of_use: dateIn(timeZone, new Date()),
});

const companyBody = (legal_name: string) => ({
  ...{ legal_name, company_type: 'hauler', usage_status: 'active', saas_billing_plan: 'standard', billing_status: 'free_trial' },
  ...{ language: 'en', date_format: 'MM/DD/YYYY', time_format: '12-hour', system_of_measure: 'imperial', unit_of_distance: 'mile' },
  ...{ currency: 'USD', time_zone: 'America/Chicago', primary_contact: { name: 'Office' }, billing_contact: { name: 'Books' } },
  address: { thoroughfare: '4 Pit Rd', locality: 'Austin', administrative_area: 'TX', postal_code: '78701', country: 'US' },
});

let made = 0;
