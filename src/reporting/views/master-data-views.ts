import type { PublishedView } from '../../platform/database/published.ts';
import { as, EXTERNAL, record, view } from './columns.ts';
import { ofCompany, recordsOfCompany } from './scope.ts';

/** The businesses, people, places and things that work refers to. */
export const masterDataViews: readonly PublishedView[] = [
  view('accounts', 'The customers and vendors of your company.', `from account a ${recordsOfCompany('a')}`, {
    ...record('a', 'account'),
    name: as('a.name', 'The name.'),
    is_customer: as(`'customer' = any(a.account_types)`, 'Whether it is a customer.'),
    is_vendor: as(`'vendor' = any(a.account_types)`, 'Whether it is a vendor.'),
    external_id: as('a.external_id', EXTERNAL),
    accounting_id: as('a.accounting_id', 'Its id in your accounting system.'),
    discarded_at: as('a.discarded_at', 'When it was discarded.'),
  }),
  view('projects', 'The projects of your company.', `from project p ${ofCompany('p')}`, {
    ...record('p', 'project'),
    project_number: as('p.project_id', 'Friendly number.'),
    name: as('p.name', 'The name.'),
    state: as('p.state', 'The state.'),
    external_id: as('p.external_id', EXTERNAL),
    customer_id: as('p.account_id', 'Id of the account of the customer.'),
    discarded_at: as('p.discarded_at', 'When it was discarded.'),
  }),
  view('sites', 'The sites of your company.', `from site t ${recordsOfCompany('t')}`, {
    ...record('t', 'site'),
    name: as('t.name', 'The name.'),
    site_type: as('t.site_type', 'The kind of place.'),
    external_id: as('t.external_id', EXTERNAL),
    full_address: as('t.full_address', 'The address.'),
    lat: as('t.lat', 'Degrees of latitude, WGS 84.'),
    lon: as('t.lon', 'Degrees of longitude, WGS 84.'),
    state: as('t.state', 'Whether it is suggested for new work.'),
    discarded_at: as('t.discarded_at', 'When it was discarded.'),
  }),
  view('materials', 'The materials of your company.', `from material m ${recordsOfCompany('m')}`, {
    ...record('m', 'material'),
    name: as('m.name', 'The name.'),
    external_id: as('m.external_id', EXTERNAL),
    density: as('m.density', 'Tonnes of a cubic metre.'),
    state: as('m.state', 'Whether it is suggested for new work.'),
    discarded_at: as('m.discarded_at', 'When it was discarded.'),
  }),
  view('drivers', 'The drivers of your company.', `from app_user u ${recordsOfCompany('u')} and 'driver' = any(u.roles)`, {
    ...record('u', 'driver'),
    first_name: as('u.first_name', 'The first name.'),
    last_name: as('u.last_name', 'The last name.'),
    external_id: as('u.external_id', EXTERNAL),
    equipment_id: as('u.equipment_id', 'Id of the truck that they drive.'),
    discarded_at: as('u.discarded_at', 'When they were deactivated.'),
  }),
  view(
    'equipment',
    'The trucks and trailers of your company.',
    `from equipment e left join equipment_type y on y.id = e.equipment_type_id ${recordsOfCompany('e')}`,
    {
      ...record('e', 'truck or trailer'),
      name: as('e.name', 'The name.'),
      equipment_number: as('e.equipment_id', 'The number on the door.'),
      equipment_type: as('y.name', 'The kind of truck.'),
      ownership: as('e.ownership', 'Whether it belongs to your company.'),
      external_id: as('e.external_id', EXTERNAL),
      accounting_id: as('e.accounting_id', 'Its id in your accounting system.'),
      license_number: as('e.license_number', 'The number of its plate.'),
      state: as('e.state', 'Whether it is suggested for new work.'),
      discarded_at: as('e.discarded_at', 'When it was discarded.'),
    },
  ),
];
