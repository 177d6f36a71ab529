import { ref } from '@mikro-orm/core';
import type { EntityManager } from '@mikro-orm/postgresql';
import { Account } from '../directory/accounts/account.entity.ts';
import { Company } from '../directory/companies/company.entity.ts';
import { Address } from '../directory/contacts/address.entity.ts';
import { Contact } from '../directory/contacts/contact.entity.ts';
import { builtInTypes } from '../directory/equipment/built-in-types.ts';
import { Equipment } from '../directory/equipment/equipment.entity.ts';
import { EquipmentType } from '../directory/equipment/equipment-type.entity.ts';
import { Department, Material, MaterialType, materialTypeId, Service, ServiceClass } from '../directory/master-data/named.entities.ts';
import { User } from '../directory/people/user.entity.ts';
import { Geofence, RoutingGeofence } from '../directory/sites/geofence.entity.ts';
import { Site } from '../directory/sites/site.entity.ts';
import { Decimal } from '../platform/decimal.ts';
import { HIRED_PEOPLE, PEOPLE } from './people.ts';
import { SITES } from './sites.ts';

const ZONE = 'America/Chicago';
/** The names of the companies of the demo. */
export const NAMES = {
  parent: 'Capital Aggregate Haulage LLC',
  north: 'Capital Haulage North LLC',
  south: 'Capital Haulage South LLC',
} as const;

/** The differences between the demo and a sandbox, which gets the same work. */
export interface SeedTerms {
  /** The parent first; of the demo they are new. */
  companyIds: readonly (string | undefined)[];
  platformIds: readonly string[];
  names: Record<keyof typeof NAMES, string>;
  /** Of e-mail addresses. */
  domain: string;
  /** The telephone number of the place in the lists of people. */
  phone(number: string): string;
  /** Whether one of its people administers the platform. */
  platformAdmin: boolean;
}

export const DEMO: SeedTerms = {
  companyIds: [],
  platformIds: ['CA9A01', 'CA9A02', 'CA9A03'],
  names: NAMES,
  domain: 'demo.haulgate.example',
  phone: (number) => number,
  platformAdmin: true,
};

/** The service of work that is paid by the hour. */
export const HOURLY = 'Haulage by the hour';
/** Metres; the radius of the geofence around every demo site. */
const FENCE_RADIUS = 250;

/** Master data of the demo: a parent with two children, and all people and records that the week of work requires. */
export interface DemoCompany {
  parent: Company;
  children: Company[];
  users: User[];
  drivers: User[];
  customers: Account[];
  vendors: Account[];
  /** The vendor who sells the material of one order. */
  pit: Account;
  materials: Material[];
  services: Service[];
  departments: Department[];
  equipment: Equipment[];
  equipmentTypes: EquipmentType[];
  sites: Site[];
  chain: DemoChain;
  /** Drivers of the last company of the chain. */
  hired: User[];
}

/** A chain of work: the parent hires the south, which hires the north. Each knows the other one as an account. */
export interface DemoChain {
  south: Company;
  north: Company;
  /** As the parent knows the south, the south its customer and the north, and the north the south. */
  southAsVendor: Account;
  parentAsCustomer: Account;
  northAsVendor: Account;
  southAsCustomer: Account;
}

/** Persists the demo company; the caller flushes. */
export function makeDemoCompany(em: EntityManager, terms: SeedTerms = DEMO): DemoCompany {
  const keep = <T extends object>(entity: T): T => {
    em.persist(entity);
    return entity;
  };
  const build = <T extends object>(type: new () => T, values: Partial<T>): T => keep(Object.assign(new type(), values));

  const company = (place: number, legalName: string, parent?: Company) => {
    const made = build(Company, {
      ...(terms.companyIds[place] ? { id: terms.companyIds[place] } : {}),
      legalName,
      authMethods: ['password', 'magic_link', 'otp_sms'],
      platformId: terms.platformIds[place]!,
      timeZone: ZONE,
      aiReviewLoads: parent === undefined,
      currency: 'USD',
      systemOfMeasure: 'imperial',
      unitOfDistance: 'mile',
      dateFormat: 'MM/DD/YYYY',
      siteRadius: new Decimal(FENCE_RADIUS),
      parentCompany: parent ? ref(parent) : null,
    });
    made.address = ref(
      build(Address, {
        companyId: made.id,
        thoroughfare: '1100 Congress Ave',
        locality: 'Austin',
        administrativeArea: 'TX',
        postalCode: '78701',
        country: 'US',
      }),
    );
    made.primaryContact = ref(
      build(Contact, { companyId: made.id, name: 'Front office', email: `office@${terms.domain}`, phone: '+15125550199' }),
    );
    return made;
  };
  const { names, domain } = terms;
  const parent = company(0, names.parent);
  const children = [company(1, names.north, parent), company(2, names.south, parent)];
  const own = { company: ref(parent) };

  const departments = ['Aggregates', 'Site work'].map((name) => build(Department, { ...own, name }));
  build(ServiceClass, { ...own, name: 'Standard' });
  const services = ['Haulage by the load', HOURLY, 'Traffic control'].map((name) => build(Service, { ...own, name }));
  const materials = ['Washed concrete sand', '1" crushed limestone', 'Pea gravel', 'Flex base', 'Topsoil', 'Asphalt mix'].map(
    (name, index) =>
      build(Material, {
        ...own,
        name,
        externalId: `MAT-${index + 1}`,
        materialType: ref(MaterialType, materialTypeId(index === 5 ? 2 : 1)),
      }),
  );
  // The equipment types of the demo company's trucks; it has the other types, too.
  const codes: Record<string, string> = { 'Tandem dump': 'TD', 'Side dump': 'SD', 'End dump': 'ED' };
  const built = [parent, ...children].flatMap((one) => builtInTypes(one).map(keep));
  const equipmentTypes = Object.entries(codes).map(([name, externalId]) => {
    const type = built.find((one) => one.name === name && one.company.id === parent.id);
    if (!type) throw new Error(`no built-in equipment type ${name}`);
    return Object.assign(type, { externalId });
  });
  const equipment = Array.from({ length: 8 }, (_, i) =>
    build(Equipment, {
      ...own,
      name: `Truck ${101 + i}`,
      equipmentId: String(101 + i),
      externalId: `TRK-${101 + i}`,
      licenseNumber: `HG${4101 + i}`,
      // Kinds that hold what the demo hauls.
      equipmentType: ref(equipmentTypes[1 + (i % (equipmentTypes.length - 1))]!),
    }),
  );
  const sites = SITES.map((place) => {
    const lat = new Decimal(place.lat);
    const lon = new Decimal(place.lon);
    const geofence = build(Geofence, {
      company: ref(parent),
      name: place.name,
      type: 'circle',
      circleCenter: { lat: lat.toNumber(), lon: lon.toNumber() },
      circleRadius: FENCE_RADIUS,
      tag: 'pickup',
    });
    return build(Site, {
      ...own,
      name: place.name,
      externalId: place.externalId,
      siteType: place.siteType,
      lat,
      lon,
      routable: true,
      fullAddress: `${place.street}, ${place.city}, TX ${place.postalCode}, US`,
      address: ref(
        build(Address, {
          companyId: parent.id,
          thoroughfare: place.street,
          locality: place.city,
          administrativeArea: 'TX',
          postalCode: place.postalCode,
          country: 'US',
          lat,
          lon,
        }),
      ),
      routingGeofence: ref(build(RoutingGeofence, { company: ref(parent), geofence: ref(geofence), geofenceType: 'circle', tag: 'site' })),
    });
  });

  const account = (name: string, externalId: string, type: 'customer' | 'vendor', more: Partial<Account> = {}) =>
    build(Account, {
      ...own,
      name,
      externalId,
      accountTypes: [type],
      billingContact: ref(
        build(Contact, { companyId: parent.id, name: `${name} accounts`, email: `ap@${externalId.toLowerCase()}.example` }),
      ),
      ...more,
    });
  const customers = [
    account('Hill Country Paving', 'HCP', 'customer'),
    account('Lakeline Concrete', 'LLC', 'customer'),
    account('Travis Site Works', 'TSW', 'customer'),
    account('Barton Homes', 'BTH', 'customer'),
  ];
  const [north, south] = children as [Company, Company];
  const vendors = [
    account(south.legalName, 'V-SOUTH', 'vendor', { connectedCompany: ref(south), truckCount: 10 }),
    account('Blanco River Trucking', 'V-BLANCO', 'vendor', { truckCount: 4 }),
    account('Pedernales Haulers', 'V-PED', 'vendor'),
  ];
  const pit = account('Onion Creek Sand Pit', 'V-PIT', 'vendor');
  const known = (company: Company, other: Company, externalId: string, type: 'customer' | 'vendor') =>
    build(Account, {
      ...{ company: ref(company), name: other.legalName, externalId, accountTypes: [type], connectedCompany: ref(other) },
      ...(type === 'vendor' ? { truckCount: 6 } : {}),
    });
  const hired = HIRED_PEOPLE.map(({ of, firstName, lastName, role, phone }) =>
    build(User, {
      ...{ company: ref(of === 'south' ? south : north), firstName, lastName, phone: terms.phone(phone), roles: [role] },
      email: `${firstName}.${lastName}@${domain}`.toLowerCase(),
    }),
  );
  const chain: DemoChain = {
    ...{ south, north, southAsVendor: vendors[0]! },
    // The other side of the connection, so that the child can bill its parent.
    parentAsCustomer: known(south, parent, 'C-PARENT', 'customer'),
    northAsVendor: known(south, north, 'V-NORTH', 'vendor'),
    southAsCustomer: known(north, south, 'C-SOUTH', 'customer'),
  };

  const users = PEOPLE.filter(({ role }) => terms.platformAdmin || role !== 'platform_admin').map((person) =>
    build(User, {
      ...own,
      firstName: person.firstName,
      lastName: person.lastName,
      email: `${person.firstName}.${person.lastName}@${domain}`.toLowerCase(),
      phone: terms.phone(person.phone),
      roles: [person.role],
      scheduleOn: person.role === 'driver',
      equipment: person.truck === undefined ? null : ref(equipment[person.truck]!),
      defaultEquipment: person.truck === undefined ? null : ref(equipment[person.truck]!),
    }),
  );
  const drivers = users.filter((user) => user.roles.includes('driver'));
  return {
    ...{ parent, children, users, drivers, customers, vendors, pit, materials, services, departments, equipment, equipmentTypes, sites },
    ...{ chain, hired: hired.filter(({ roles }) => roles.includes('driver')) },
  };
}
