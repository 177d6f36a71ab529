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
import type { Build } from './loads-of-job.ts';
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

const DEMO: SeedTerms = {
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
  const build: Build = (type, values) => keep(Object.assign(new type(), values));
  const parent = makeCompany(build, terms, 0, terms.names.parent);
  const north = makeCompany(build, terms, 1, terms.names.north, parent);
  const south = makeCompany(build, terms, 2, terms.names.south, parent);
  const children = [north, south];
  const named = makeNamed(build, parent);
  const equipmentTypes = typesOfDemo(
    [parent, ...children].flatMap((one) => builtInTypes(one).map(keep)),
    parent,
  );
  const equipment = makeTrucks(build, parent, equipmentTypes);
  const sites = SITES.map((place) => makeSite(build, parent, place));
  const accounts = makeAccounts(build, parent, south);
  const hired = makeHired(build, terms, { north, south });
  const chain = makeChain(build, { parent, north, south }, accounts.vendors[0]!);
  const users = makePeople(build, terms, parent, equipment);
  return {
    ...{ parent, children, users, drivers: driversOf(users), ...accounts, ...named, equipment, equipmentTypes, sites },
    ...{ chain, hired: driversOf(hired) },
  };
}

const driversOf = (users: User[]): User[] => users.filter(({ roles }) => roles.includes('driver'));

function makeCompany(build: Build, terms: SeedTerms, place: number, legalName: string, parent?: Company): Company {
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
}

/** Departments, services and materials. */
function makeNamed(build: Build, parent: Company): Pick<DemoCompany, 'departments' | 'services' | 'materials'> {
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
  return { departments, services, materials };
}

/** The equipment types of the demo company's trucks; it has the other types, too. */
function typesOfDemo(builtIn: EquipmentType[], parent: Company): EquipmentType[] {
  const codes: Record<string, string> = { 'Tandem dump': 'TD', 'Side dump': 'SD', 'End dump': 'ED' };
  return Object.entries(codes).map(([name, externalId]) => {
    const type = builtIn.find((one) => one.name === name && one.company.id === parent.id);
    if (!type) throw new Error(`no built-in equipment type ${name}`);
    return Object.assign(type, { externalId });
  });
}

const makeTrucks = (build: Build, parent: Company, types: EquipmentType[]): Equipment[] =>
  Array.from({ length: 8 }, (_, i) =>
    build(Equipment, {
      company: ref(parent),
      name: `Truck ${101 + i}`,
      equipmentId: String(101 + i),
      externalId: `TRK-${101 + i}`,
      licenseNumber: `HG${4101 + i}`,
      // Kinds that hold what the demo hauls.
      equipmentType: ref(types[1 + (i % (types.length - 1))]!),
    }),
  );

function makeSite(build: Build, parent: Company, place: (typeof SITES)[number]): Site {
  const company = ref(parent);
  const lat = new Decimal(place.lat);
  const lon = new Decimal(place.lon);
  const geofence = build(Geofence, {
    company,
    name: place.name,
    type: 'circle',
    circleCenter: { lat: lat.toNumber(), lon: lon.toNumber() },
    circleRadius: FENCE_RADIUS,
    tag: 'pickup',
  });
  return build(Site, {
    company,
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
    routingGeofence: ref(build(RoutingGeofence, { company, geofence: ref(geofence), geofenceType: 'circle', tag: 'site' })),
  });
}

function makeAccounts(build: Build, parent: Company, south: Company): Pick<DemoCompany, 'customers' | 'vendors' | 'pit'> {
  const account = (name: string, externalId: string, type: 'customer' | 'vendor', more: Partial<Account> = {}) =>
    build(Account, {
      company: ref(parent),
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
  const vendors = [
    account(south.legalName, 'V-SOUTH', 'vendor', { connectedCompany: ref(south), truckCount: 10 }),
    account('Blanco River Trucking', 'V-BLANCO', 'vendor', { truckCount: 4 }),
    account('Pedernales Haulers', 'V-PED', 'vendor'),
  ];
  return { customers, vendors, pit: account('Onion Creek Sand Pit', 'V-PIT', 'vendor') };
}

/** The people of the companies below. */
const makeHired = (build: Build, terms: SeedTerms, companies: { north: Company; south: Company }): User[] =>
  HIRED_PEOPLE.map(({ of, firstName, lastName, role, phone }) =>
    build(User, {
      ...{ company: ref(companies[of === 'south' ? 'south' : 'north']), firstName, lastName, phone: terms.phone(phone), roles: [role] },
      email: emailOf(firstName, lastName, terms),
    }),
  );

const emailOf = (firstName: string, lastName: string, { domain }: SeedTerms): string => `${firstName}.${lastName}@${domain}`.toLowerCase();

function makeChain(
  build: Build,
  { parent, north, south }: Record<'parent' | 'north' | 'south', Company>,
  southAsVendor: Account,
): DemoChain {
  const known = (company: Company, other: Company, externalId: string, type: 'customer' | 'vendor') =>
    build(Account, {
      ...{ company: ref(company), name: other.legalName, externalId, accountTypes: [type], connectedCompany: ref(other) },
      ...(type === 'vendor' ? { truckCount: 6 } : {}),
    });
  return {
    ...{ south, north, southAsVendor },
    // The other side of the connection, so that the child can bill its parent.
    parentAsCustomer: known(south, parent, 'C-PARENT', 'customer'),
    northAsVendor: known(south, north, 'V-NORTH', 'vendor'),
    southAsCustomer: known(north, south, 'C-SOUTH', 'customer'),
  };
}

const makePeople = (build: Build, terms: SeedTerms, parent: Company, equipment: Equipment[]): User[] =>
  PEOPLE.filter(({ role }) => terms.platformAdmin || role !== 'platform_admin').map((person) =>
    build(User, {
      company: ref(parent),
      firstName: person.firstName,
      lastName: person.lastName,
      email: emailOf(person.firstName, person.lastName, terms),
      phone: terms.phone(person.phone),
      roles: [person.role],
      scheduleOn: person.role === 'driver',
      equipment: person.truck === undefined ? null : ref(equipment[person.truck]!),
      defaultEquipment: person.truck === undefined ? null : ref(equipment[person.truck]!),
    }),
  );
