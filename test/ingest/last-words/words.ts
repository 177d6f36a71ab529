import type { Dice } from '../../helpers/properties.ts';

// biome-ignore lint/suspicious/noExplicitAny: payloads have what they have
type Json = any;
export type Kind = 'orders' | 'projects' | 'tickets';

/** A local time of the company, in November in Chicago: six hours behind UTC. */
interface Moment {
  day: number;
  hour: number;
  minute: number;
}
type Unit = 'Ton' | 'Tonne' | 'Yard';

/** What a sender means by an element: the whole record, each time. `wrong` is what keeps it from being imported. */
export interface OrderWord {
  kind: 'orders';
  key: string;
  wrong?: 'load_at' | 'quantity' | 'customer';
  isCanceled: boolean;
  at: Moment;
  material: number | null;
  stops: readonly [pickup: number, dropOff: number];
  foremen: readonly number[];
  collaborators: readonly number[];
  phases: readonly number[];
  contact: number | null;
  truckType: number | null;
  quantity: string;
  unit: Unit;
  rate: string | null;
  texts: Readonly<Record<'notes' | 'name' | 'po_job_number', string | null>>;
  isTaxed: boolean;
}
export interface ProjectWord {
  kind: 'projects';
  key: string;
  wrong?: 'expires_at' | 'customer';
  from: number;
  until: number | null;
  foremen: readonly number[];
  phases: readonly number[];
  materials: readonly { material: number; total: string; unit: Unit }[];
  stop: number;
  notes: string | null;
}
export interface TicketWord {
  kind: 'tickets';
  key: string;
  wrong?: 'quantity' | 'service_date';
  at: Moment;
  tons: string;
  notes: string | null;
}
export type Word = OrderWord | ProjectWord | TicketWord;

/** What never changes of an order, because later payloads do not change it, or because tickets find it by that. */
export interface OrderPlan {
  key: string;
  day: number;
  trucks: number;
  loads: number;
  customer: number;
  vendor: number | null;
  /** It is canceled and ordered anew, and has no tickets. */
  isFickle: boolean;
}
/** What never changes of a ticket. */
export interface TicketPlan {
  key: string;
  /** An order, by its key; one that never comes in some. */
  order: string;
  by: 'order_external_id' | 'dispatch_number';
  truck: number;
  /** The order and a load of its truck are there for it in the end. */
  isHauled: boolean;
  day: number;
  customer: number | null;
}
export interface Plan {
  orders: Map<string, OrderPlan>;
  tickets: Map<string, TicketPlan>;
  projects: string[];
}

const DAYS = [23, 24, 25];

/** Draws the work of which senders speak. */
export function drawPlan(d: Dice): Plan {
  // Some senders have numbers for ids.
  const orders = Array.from({ length: 12 }, (_, i): OrderPlan => {
    const isFickle = i >= 9;
    const key = isFickle ? `F-${i}` : d.chance(0.3) ? String(1000 + i) : `O-${i}`;
    // A vendor has trucks of its own.
    const vendor = isFickle && d.chance(0.5) ? d.below(2) : null;
    const more = { trucks: 1 + d.below(2), loads: 1 + d.below(3), customer: d.below(3), vendor };
    return { key, day: d.of(DAYS), ...more, isFickle };
  });
  const tickets = orders.flatMap(({ key, day, trucks, loads, customer, isFickle }): TicketPlan[] => {
    if (isFickle) return [];
    return Array.from({ length: trucks }).flatMap((_, truck) =>
      Array.from({ length: d.below(loads + 1) }, (_none, n) => {
        const by = d.of(['order_external_id', 'dispatch_number'] as const);
        return { key: `T-${key}-${truck}-${n}`, order: key, by, truck, isHauled: true, day, customer };
      }),
    );
  });
  const lost = ['order_external_id', 'dispatch_number'].map((by, i): TicketPlan => {
    return { key: `L-${i}`, order: 'O-99', by: by as TicketPlan['by'], truck: 0, isHauled: false, day: 23, customer: null };
  });
  // A truck that no job of the order drives.
  const strange = { key: 'S-1', order: orders[0]!.key, by: 'order_external_id', truck: 9, isHauled: false } as const;
  const all = [...tickets, ...lost, { ...strange, day: orders[0]!.day, customer: orders[0]!.customer }];
  return {
    orders: new Map(orders.map((one) => [one.key, one])),
    tickets: new Map(all.map((one) => [one.key, one])),
    projects: ['P-0', 'P-1', 'P-2', '2001'],
  };
}

const some = <T>(d: Dice, all: readonly T[]): T[] => all.filter(() => d.chance(0.5));
const decimalOf = (d: Dice): string => d.of(['0.5', '12', '22.4', '110.25', '7.125', '40']);
const unitOf = (d: Dice): Unit => d.of(['Ton', 'Tonne', 'Yard'] as const);
const maybe = <T>(d: Dice, value: T): T | null => (d.chance(0.3) ? null : value);
const textOf = (d: Dice): string | null => maybe(d, d.of(['Gate 4', 'Ask for Dora', 'Été', '0']));
/** Most words can be imported. */
const wrongOf = <T>(d: Dice, kinds: readonly T[], isRight: boolean): { wrong?: T } =>
  isRight || d.chance(0.85) ? {} : { wrong: d.of(kinds) };

export function drawWord(d: Dice, plan: Plan, kind: Kind, key: string, isRight = false): Word {
  const at = (day: number): Moment => ({ day, hour: 5 + d.below(12), minute: d.of([0, 15, 30]) });
  if (kind === 'tickets') {
    const wrong = wrongOf(d, ['quantity', 'service_date'] as const, isRight);
    return { kind, key, ...wrong, at: at(plan.tickets.get(key)!.day), tons: d.of(['22.4', '18.05', '24']), notes: textOf(d) };
  }
  if (kind === 'projects') {
    const wrong = wrongOf(d, ['expires_at', 'customer'] as const, isRight);
    const materials = some(d, [0, 1, 2]).map((material) => ({ material, total: decimalOf(d), unit: unitOf(d) }));
    const dates = { from: 1 + d.below(5), until: maybe(d, 10 + d.below(5)) };
    const lists = { foremen: some(d, [0, 1, 2]), phases: some(d, [0, 1, 2]), materials };
    return { kind, key, ...wrong, ...dates, ...lists, stop: 3 + d.below(3), notes: textOf(d) };
  }
  const { day, isFickle } = plan.orders.get(key)!;
  return {
    ...{ kind, key, ...wrongOf(d, ['load_at', 'quantity', 'customer'] as const, isRight) },
    ...{ isCanceled: isFickle && d.chance(0.4), at: at(day), material: maybe(d, d.below(3)) },
    ...{
      stops: [d.below(3), 3 + d.below(3)] as const,
      foremen: some(d, [0, 1, 2]),
      collaborators: some(d, [0, 1]),
      phases: some(d, [0, 1, 2]),
    },
    ...{
      contact: maybe(d, d.below(2)),
      truckType: maybe(d, d.below(2)),
      quantity: decimalOf(d),
      unit: unitOf(d),
      rate: maybe(d, decimalOf(d)),
    },
    ...{ texts: { notes: textOf(d), name: textOf(d), po_job_number: textOf(d) }, isTaxed: d.chance(0.5) },
  };
}

export const CUSTOMERS = ['Hill Country Paving', 'Carrière Nord', 'Dot & Sons'];
export const MATERIALS = ['Flex base', 'Gravier concassé', 'Sand'];
export const SITES = ['Pit A', 'Pit B', 'Pit É', 'Bridge', 'Tunnel', 'School'];
export const TRUCK_TYPES = ['End dump', 'Side dump'];
export const VENDORS = ['Haul One', 'Haul Two'];
export const PHASES = [
  { name: 'Base', code: '100' },
  { name: 'Paving', code: null },
  { name: 'Curb', code: '300' },
];
export const CONTACTS = [
  { name: 'Ann Lee', email: 'ann@example.com', phone: '+15125550100' },
  { name: 'Bo', email: null, phone: null },
];
export const mailOf = (n: number): string => `person${n}@example.com`;

/** Writes what is meant as one of the many programs does that write it in another way. */
export function spell(d: Dice, plan: Plan, word: Word, id: number): Json {
  const text = (value: string | null) => (value === null ? null : d.of([value, value, ` ${value}`, `${value}\t `]));
  const number = (value: string | null) => (value === null ? null : d.of([Number(value), Number(value), value, ` ${value}`]));
  const idOf = (value: string) => (/^\d+$/.test(value) ? d.of([value, Number(value), ` ${value} `]) : text(value));
  const nameOf = (value: string) => d.of([value, value, value.toUpperCase(), ` ${value}`, value.normalize('NFD')]);
  const named = (prefix: string, names: readonly string[], n: number) => ({ external_id: `${prefix}-${n}`, name: nameOf(names[n]!) });
  const maybeNamed = (prefix: string, names: readonly string[], n: number | null) => (n === null ? null : named(prefix, names, n));
  const people = (all: readonly number[]) =>
    all.map((n) => ({ email: d.of([mailOf(n), mailOf(n).toUpperCase(), ` ${mailOf(n)}`]), first_name: 'Person', last_name: String(n) }));
  const phases = (all: readonly number[]) => all.map((n) => ({ ...PHASES[n]!, name: text(PHASES[n]!.name), primary: n === 0 }));
  const site = (waypoint: string, n: number) => ({ waypoint, ...named('S', SITES, n), lat: 30 + n / 10, lon: number(`-9${n}.5`) });
  const unit = (value: Unit) =>
    d.of({ Ton: ['Ton', 'tons', 'T', 'STN', 'Short Tons'], Tonne: ['Tonne', 'MT', 'TNE'], Yard: ['Yard', 'cu. yds', 'CYD', 'yd³'] }[value]);
  const two = (n: number) => String(n).padStart(2, '0');
  const moment = ({ day, hour, minute }: Moment) => {
    const [local, utc] = [`${two(hour)}:${two(minute)}`, `${two(hour + 6)}:${two(minute)}`];
    const date = `2026-11-${day}`;
    return d.of([
      ...[`${date}T${local}`, `${date} ${local}:00`, `202611${day}T${local.replace(':', '')}`, `${date} ${hour}:${two(minute)}`],
      ...[`${date}T${local}:00-06:00`, `${date}T${local}:00.000-0600`, `${date}T${utc}Z`],
    ]);
  };
  const finish = (fields: Json): Json => {
    const all = Object.entries({ ...fields, ...(d.chance(0.2) ? { erp_row: id } : {}), metadata: { word: id } });
    const from = d.below(all.length);
    return Object.fromEntries([...all.slice(from), ...all.slice(0, from)]);
  };
  if (word.kind === 'tickets') {
    const { order, by, truck, customer } = plan.tickets.get(word.key)!;
    const inPounds = d.chance(0.3);
    return finish({
      ...{ ticket_number: word.key, truck_id: `TRK-${truck}`, notes: text(word.notes) },
      service_date: word.wrong === 'service_date' ? 'yesterday' : moment(word.at),
      ...{
        [by]: by === 'dispatch_number' ? `D-${order}` : idOf(order),
        ...(customer === null ? {} : { customer: named('C', CUSTOMERS, customer) }),
      },
      quantity: word.wrong ? 'many' : number(inPounds ? String(Math.round(Number(word.tons) * 2000)) : word.tons),
      unit_of_measure: inPounds ? d.of(['lb', 'Pounds', 'LBR']) : unit('Ton'),
    });
  }
  if (word.kind === 'projects') {
    const until = word.wrong === 'expires_at' ? 1 : word.until;
    return finish({
      ...{ external_id: idOf(word.key), name: text(`Project ${word.key}`), notes: text(word.notes) },
      customer: word.wrong === 'customer' ? null : named('C', CUSTOMERS, 0),
      ...{ effective_at: `2026-12-${two(word.from)}`, expires_at: until === null ? null : `2026-12-${two(until)}` },
      ...{ foremen: people(word.foremen), phases: phases(word.phases), sites: [site('drop_off', word.stop)] },
      materials: word.materials.map(({ material, total, unit: of }) => ({
        ...{ ...named('M', MATERIALS, material), total_quantity: number(total), unit_of_measure: unit(of) },
      })),
    });
  }
  const { trucks, loads, customer, vendor } = plan.orders.get(word.key)!;
  const contact = word.contact === null ? null : CONTACTS[word.contact]!;
  return finish({
    ...{ external_id: idOf(word.key), load_at: word.wrong === 'load_at' ? 'tomorrow' : moment(word.at), dispatch_number: `D-${word.key}` },
    customer: word.wrong === 'customer' ? {} : named('C', CUSTOMERS, customer),
    ...{ material: maybeNamed('M', MATERIALS, word.material), equipment_type: maybeNamed('E', TRUCK_TYPES, word.truckType) },
    sites: [site('pickup', word.stops[0]), site('drop_off', word.stops[1])],
    ...{ foremen: people(word.foremen), collaborators: people(word.collaborators), phases: phases(word.phases) },
    sales_contact: contact && { ...contact, phone: contact.phone && d.of([contact.phone, '(512) 555-0100', '512-555-0100']) },
    ...{ vendors: vendor === null ? [] : [named('V', VENDORS, vendor)], truck_count: number(String(trucks)), loads_per_truck: loads },
    ...{ quantity: word.wrong === 'quantity' ? 'many' : number(word.quantity), unit_of_measure: unit(word.unit) },
    ...{ customer_rate_value: number(word.rate), customer_rate_type: word.rate === null ? null : 'RatePerTon' },
    ...{ tax_rate: word.isTaxed ? number('8.25') : null, tax_freight: word.isTaxed },
    ...Object.fromEntries(Object.entries(word.texts).map(([field, value]) => [field, text(value)])),
    ...(word.isCanceled ? { state: 'canceled' } : {}),
  });
}
