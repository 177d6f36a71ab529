import { type FieldKind, ORDER_FIELDS, PROJECT_FIELDS, payloadColumnsOf, type WorkFields } from '../../dispatch/fields/work-fields.ts';
import { normalize } from '../../platform/normalize.ts';

/** The kinds of payloads that a sheet can contain; each is the root key and the path of `/ingest`. */
export type SheetKind = 'orders' | 'projects' | 'tickets';
export const SHEET_KINDS: readonly SheetKind[] = ['orders', 'projects', 'tickets'];

/** A cell is read as text, as a number whose separators are removed, or as yes or no. */
export type CellType = 'text' | 'number' | 'flag';

export interface SheetField {
  /**
   * Where the value goes, such as `customer.external_id`. `pickup.name` is the site of that waypoint, `foremen.email` a list separated by
   * `;`.
   */
  path: string;
  type: CellType;
  required?: boolean;
  /** Headers that people use, compared without case, accents, blanks and punctuation. The path is always one of them. */
  names: string[];
  /** The cell of the template's example row; columns without one are not in the template. */
  example?: string;
}

export const WAYPOINTS = ['pickup', 'staging', 'drop_off', 'weigh_point'] as const;
/** Separates the items of a list within a cell. */
export const CUT = ';';
/** Fields that hold lists. Their cells are split at semicolons, and the n-th items of the columns of one list belong together. */
export const LISTS = ['foremen', 'collaborators', 'salespeople', 'vendors', 'phases', 'materials'] as const;
/** Lists of people. A cell under the bare name is an e-mail, a telephone number or an id, whichever it looks like. */
export const PEOPLE: readonly string[] = ['foremen', 'collaborators', 'salespeople'];

const text = (path: string, names: string[] = [], more: Partial<SheetField> = {}): SheetField => ({ path, type: 'text', names, ...more });
const number = (path: string, names: string[] = [], more: Partial<SheetField> = {}): SheetField => ({
  path,
  type: 'number',
  names,
  ...more,
});
const flag = (path: string, names: string[] = []): SheetField => ({ path, type: 'flag', names });

const site = (path: string, names: string[], example: Partial<Record<string, string>> = {}): SheetField[] => [
  text(
    `${path}.external_id`,
    names.flatMap((name) => [`${name} id`, `${name} code`]),
    { example: example.external_id },
  ),
  text(
    `${path}.name`,
    names.flatMap((name) => [name, `${name} site`, `${name} name`]),
    { example: example.name },
  ),
  text(
    `${path}.full_address`,
    names.flatMap((name) => [`${name} address`]),
    { example: example.full_address },
  ),
  number(
    `${path}.lat`,
    names.flatMap((name) => [`${name} latitude`]),
  ),
  number(
    `${path}.lon`,
    names.flatMap((name) => [`${name} longitude`, `${name} lng`]),
  ),
  text(`${path}.site_type`),
];

const sites = (): SheetField[] => [
  ...site('pickup', ['pickup', 'pick up', 'origin', 'pit', 'quarry', 'plant', 'load site', 'loading site', 'chargement', 'origen'], {
    external_id: 'PIT-4',
    name: 'North pit',
    full_address: '1701 County Road 147, Georgetown, TX',
  }),
  ...site('staging', ['staging']),
  ...site('drop_off', ['drop off', 'dropoff', 'destination', 'delivery site', 'dump site', 'job site', 'unload site', 'destino'], {
    external_id: 'SITE-9',
    name: 'SH 71 widening',
    full_address: 'State Highway 71, Bastrop, TX',
  }),
  ...site('weigh_point', ['weigh point', 'scale', 'scale house']),
];

const named = (path: string, names: string[], id?: string, name?: string): SheetField[] => [
  text(
    `${path}.external_id`,
    names.flatMap((one) => [`${one} id`, `${one} code`, `${one} number`, `${one} no`]),
    { example: id },
  ),
  text(
    `${path}.name`,
    names.flatMap((one) => [one, `${one} name`]),
    { example: name },
  ),
];

const customer = (required: boolean): SheetField[] =>
  named('customer', ['customer', 'client', 'cliente', 'account', 'bill to'], 'HCP', 'Hill Country Paving').map((field) =>
    field.path === 'customer.external_id' ? { ...field, required } : field,
  );

const people = (list: string, one: string, example?: string): SheetField[] => [
  text(list, [one, `${one}s`], { example }),
  ...['external_id', 'email', 'phone', 'first_name', 'last_name'].map((field) =>
    text(`${list}.${field}`, [`${one} ${field === 'external_id' ? 'id' : field}`]),
  ),
];

const contact = (who: string): SheetField[] => ['name', 'email', 'phone'].map((field) => text(`${who}_contact.${field}`));
const rates = (): SheetField[] => ['customer', 'vendor', 'driver'].map((who) => number(`${who}_rate_value`, [`${who} rate`]));
const notes = (): SheetField[] => [text('notes', ['note', 'comments', 'remarques', 'notas'])];
/** Columns that orders and projects share, apart from notes and rates, under names that people use. */
const work = (trucks?: string): SheetField[] => [
  number('truck_count', ['trucks', 'number of trucks', 'camions', 'camiones'], { example: trucks }),
  number('loads_per_truck', ['loads']),
  text('job_unit_of_measure', ['job unit']),
  text('load_unit_of_measure', ['load unit']),
  text('charge_to_account', ['charge to']),
  number('tax_rate', ['tax']),
];
/** Returns columns for the other fields of a work record, under their names in payloads. */
const others = (fields: WorkFields, listed: readonly SheetField[]): SheetField[] => {
  const known = new Set(listed.map(({ path }) => path));
  return payloadColumnsOf(fields).flatMap(([column, kind]) => (known.has(column) ? [] : { path: column, type: cellOf(kind), names: [] }));
};
const cellOf = (kind: FieldKind): CellType => (kind === 'flag' ? 'flag' : kind === 'decimal' || kind === 'whole' ? 'number' : 'text');
const unit = (required = false, example?: string): SheetField =>
  text('unit_of_measure', ['unit', 'units', 'uom', 'unite', 'unite de mesure', 'unidad', 'unidad de medida'], { required, example });

const ORDERS: SheetField[] = [
  text(
    'external_id',
    [
      'order',
      'order number',
      'order no',
      'order id',
      'id',
      'numero de commande',
      'n° de commande',
      'commande',
      'numero de pedido',
      'pedido',
    ],
    {
      required: true,
      example: 'ORD-1001',
    },
  ),
  text('load_at', ['load time', 'load date', 'start', 'start time', 'start at', 'load start', 'heure de chargement', 'hora de carga'], {
    required: true,
    example: '2026-12-01T07:00:00',
  }),
  ...customer(true),
  ...named('material', ['material', 'materiau', 'product', 'produit', 'producto'], 'M-3', 'Flex base'),
  ...named('equipment_type', ['equipment type', 'equipment', 'truck type']),
  ...sites(),
  ...work('2'),
  number('quantity', ['qty', 'total quantity', 'quantite', 'cantidad'], { example: '110.5' }),
  unit(false, 'Ton'),
  text('name', ['order name', 'title', 'description', 'nom', 'nombre']),
  text('po_job_number', ['po', 'po number', 'job number', 'purchase order']),
  text('dispatch_number', ['dispatch', 'dispatch no']),
  text('service'),
  text('state', ['status']),
  text('job_start_at', ['job start', 'job start time']),
  ...notes(),
  ...people('foremen', 'foreman', 'ana@example.com;ben@example.com'),
  ...people('collaborators', 'collaborator'),
  ...people('salespeople', 'salesperson'),
  text('vendors.name', ['vendor', 'vendors', 'subhauler', 'hauler']),
  text('vendors.external_id', ['vendor id', 'vendor code']),
  ...named('supplier', ['supplier', 'material supplier', 'fournisseur du materiau', 'proveedor del material']),
  text('phases.name', ['phase', 'phases', 'phase name']),
  text('phases.code', ['phase code']),
  flag('phases.primary', ['primary phase']),
  ...['sales', 'foreman', 'supervisor', 'collaborator'].flatMap(contact),
  ...rates(),
];

const PROJECTS: SheetField[] = [
  text(
    'external_id',
    ['project', 'project number', 'project no', 'project id', 'id', 'numero de projet', 'n° de projet', 'projet', 'proyecto'],
    {
      required: true,
      example: 'PRJ-7',
    },
  ),
  ...customer(true),
  text('name', ['project name', 'title', 'nom', 'nombre'], { example: 'SH 71 widening' }),
  text('effective_at', ['start', 'start date', 'starts on', 'effective', 'effective date'], { example: '2026-12-01' }),
  text('expires_at', ['end', 'end date', 'ends on', 'expires', 'expiry'], { example: '2027-06-30' }),
  text('phases.name', ['phase', 'phases', 'phase name'], { example: 'Base;Paving' }),
  text('phases.code', ['phase code'], { example: '100;200' }),
  flag('phases.primary', ['primary phase']),
  text('materials.external_id', ['material id', 'material code'], { example: 'M-3;M-8' }),
  text('materials.name', ['material', 'materials', 'material name', 'materiau', 'product'], { example: 'Flex base;Asphalt' }),
  number('materials.total_quantity', ['material quantity', 'total quantity', 'quantity'], { example: '1200;800' }),
  text('materials.unit_of_measure', ['material unit', 'unit', 'uom'], { example: 'Ton;Ton' }),
  ...sites(),
  ...people('foremen', 'foreman'),
  ...people('collaborators', 'collaborator'),
  ...people('salespeople', 'salesperson'),
  text('po_job_number', ['po', 'po number', 'job number']),
  text('dispatch_number', ['dispatch']),
  text('service'),
  ...named('equipment_type', ['equipment type']),
  text('order_unit_of_measure', ['order unit']),
  ...work(),
  ...['sales', 'foreman', 'supervisor', 'collaborator'].flatMap(contact),
  ...notes(),
  ...rates(),
];

const TICKETS: SheetField[] = [
  text('ticket_number', ['ticket', 'ticket no', 'ticket id', 'scale ticket', 'numero de billet', 'n° de billet', 'billet', 'boleta'], {
    required: true,
    example: 'T-50001',
  }),
  text('service_date', ['date', 'ticket date', 'report date', 'date de service', 'fecha'], { required: true, example: '2026-12-01' }),
  number('quantity', ['qty', 'net', 'net weight', 'weight', 'load weight', 'quantite', 'cantidad'], { required: true, example: '22.4' }),
  unit(true, 'Ton'),
  number('gross_quantity', ['gross', 'gross weight', 'poids brut', 'peso bruto']),
  number('tare_quantity', ['tare', 'tare weight', 'tara']),
  text('weighed_by', ['weighmaster']),
  text('truck_id', ['truck', 'truck number', 'truck no', 'vehicle', 'camion'], { required: true, example: 'TRK-12' }),
  text('dispatch_number', ['dispatch', 'dispatch no'], { example: 'D-20' }),
  text('order_external_id', ['order external id', 'external order id']),
  text('platform_order_id', ['order', 'order id', 'order number', 'order no'], { example: '' }),
  ...named('material', ['material', 'materiau', 'product', 'produit', 'producto'], 'M-3', 'Flex base'),
  ...named('customer', ['customer', 'client', 'cliente', 'account'], 'HCP', 'Hill Country Paving'),
  ...named('vendor', ['vendor', 'hauler']),
  ...site('site', ['site', 'location', 'dropoff site', 'drop off'], { external_id: 'PIT-4', name: 'North pit' }),
  text('notes', ['note', 'comments', 'remarques', 'notas']),
];

/** The columns of a sheet, by kind. */
export const SHEET_FIELDS: Record<SheetKind, SheetField[]> = {
  orders: [...ORDERS, ...others(ORDER_FIELDS, ORDERS)],
  projects: [...PROJECTS, ...others(PROJECT_FIELDS, PROJECTS)],
  tickets: TICKETS,
};

const NUMBER_SIGN = /[#№]|\bn[°º]/giu;

/** Returns a header without what people write differently: case, accents, blanks, punctuation; `#` means number. */
export function plainHeader(header: string): string {
  return normalize(normalize(header, 'NFC').replace(NUMBER_SIGN, ' number '), 'NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, '');
}
