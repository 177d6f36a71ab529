import type { Role } from '../directory/people/user.entity.ts';

/** The people of the demo company: one login for each role, and the drivers. */
export const PEOPLE: { firstName: string; lastName: string; role: Role; phone: string; truck?: number }[] = [
  { firstName: 'Avery', lastName: 'Stone', role: 'platform_admin', phone: '+15125550100' },
  { firstName: 'Casey', lastName: 'Moreno', role: 'company_admin', phone: '+15125550101' },
  { firstName: 'Dana', lastName: 'Whitfield', role: 'dispatcher', phone: '+15125550102' },
  { firstName: 'Billie', lastName: 'Okafor', role: 'biller', phone: '+15125550103' },
  { firstName: 'Frankie', lastName: 'Ruiz', role: 'foreman', phone: '+15125550104' },
  { firstName: 'Drew', lastName: 'Castillo', role: 'driver', phone: '+15125550105', truck: 0 },
  { firstName: 'Indra', lastName: 'Patel', role: 'it_admin', phone: '+15125550106' },
  { firstName: 'Morgan', lastName: 'Hayes', role: 'manager', phone: '+15125550107' },
  { firstName: 'Jesse', lastName: 'Lindqvist', role: 'foreman', phone: '+15125550108' },
  { firstName: 'Riley', lastName: 'Nguyen', role: 'driver', phone: '+15125550109', truck: 1 },
  { firstName: 'Sam', lastName: 'Dubois', role: 'driver', phone: '+15125550110', truck: 2 },
  { firstName: 'Terry', lastName: 'Kowalski', role: 'driver', phone: '+15125550111', truck: 3 },
  { firstName: 'Val', lastName: 'Jimenez', role: 'driver', phone: '+15125550112', truck: 4 },
  { firstName: 'Wes', lastName: 'Abbott', role: 'driver', phone: '+15125550113', truck: 5 },
];

/** Those of the companies that are hired, who have no login: who does the books of each, and a driver. */
export const HIRED_PEOPLE: { of: 'south' | 'north'; firstName: string; lastName: string; role: Role; phone: string }[] = [
  { of: 'south', firstName: 'Noor', lastName: 'Haddad', role: 'company_admin', phone: '+15125550114' },
  { of: 'north', firstName: 'Pat', lastName: 'Sorensen', role: 'company_admin', phone: '+15125550115' },
  { of: 'north', firstName: 'Kit', lastName: 'Romero', role: 'driver', phone: '+15125550116' },
];

/** Roles with a printed login: that of their first person. */
export const LOGIN_ROLES: Role[] = ['company_admin', 'dispatcher', 'biller', 'foreman', 'driver', 'it_admin', 'manager', 'platform_admin'];
