import fc from 'fast-check';

/** Values that somebody once sent. */
export const ODD: readonly unknown[] = [
  null,
  true,
  0,
  -1,
  1e308,
  2 ** 31,
  2 ** 53,
  0.1,
  '',
  ' ',
  '\u0000',
  '\ud800',
  "'; drop table orders; --",
  '%',
  '\\',
  '١٢٣',
  '9'.repeat(400),
  '1e400',
  'NaN',
  'Infinity',
  '-0',
  '2026-02-30',
  '0000-00-00',
  '99999-01-01',
  '2026-11-20T25:00:00Z',
  '-271821-04-20T00:00:00Z',
  '+275760-09-13T00:00:00.001Z',
  '2026-11-20T07:00:00.123456789+14:00',
  '00000000-0000-0000-0000-000000000000',
  'ffffffff-ffff-ffff-ffff-ffffffffffff',
  'x'.repeat(70_000),
  [],
  {},
  [null],
  [[]],
  { id: null },
  { __proto__: 1 },
  'constructor',
  '__proto__',
];

/** Fields of an order payload, by their usual values. */
const BY_NAME: Record<string, fc.Arbitrary<unknown>> = {
  state: fc.constantFrom('created', 'canceled', 'hold', 'pending_request'),
  recurring_loads: fc.boolean(),
  tax_freight: fc.boolean(),
  customer: fc.record({ external_id: fc.constantFrom('C-1', 'C-2'), name: fc.string() }, { requiredKeys: ['external_id'] }),
  vendors: fc.array(fc.record({ external_id: fc.constantFrom('V-1', 'C-1'), name: fc.string() }, { requiredKeys: [] }), { maxLength: 3 }),
  foremen: fc.array(
    fc.record(
      {
        email: fc.constantFrom('ada@example.com', 'ben@example.com', 'cy@example.com', '@', ''),
        phone: fc.constantFrom('+15125550100', '5', ''),
      },
      { requiredKeys: [] },
    ),
    { maxLength: 2 },
  ),
  sites: fc.array(
    fc.record(
      {
        waypoint: fc.constantFrom('pickup', 'drop_off', 'staging'),
        external_id: fc.constantFrom('S-1', 'S-2'),
        name: fc.string(),
        lat: fc.double(),
        lon: fc.double(),
      },
      { requiredKeys: ['waypoint'] },
    ),
    { maxLength: 3 },
  ),
  phases: fc.array(fc.record({ name: fc.constantFrom('Base', 'Top'), code: fc.string() }, { requiredKeys: ['name'] }), { maxLength: 3 }),
};
const NUMBERS = [
  'quantity',
  'truck_count',
  'truck_delay',
  'loads_per_truck',
  'job_quantity',
  'tax_rate',
  'customer_rate_value',
  'driver_rate_value',
  'vendor_rate_value',
  'material_rate_sell_price',
  'pickup_to_dropoff_distance_meters',
  'equipment_type_gross_capacity',
];
const TEXTS = [
  'name',
  'notes',
  'zone',
  'order_notes',
  'po_job_number',
  'dispatch_number',
  'service',
  'unit_of_measure',
  'job_unit_of_measure',
  'load_unit_of_measure',
  'material',
  'equipment_type',
  'job_start_at',
  'material_rate_unit_of_measure',
];

/** Every root field of an order payload, with values of its kind. */
export const ORDER_FIELDS: Record<string, fc.Arbitrary<unknown>> = {
  ...BY_NAME,
  ...Object.fromEntries(NUMBERS.map((name) => [name, fc.oneof(fc.integer({ min: 1, max: 25 }), fc.constantFrom('7', 12))])),
  ...Object.fromEntries(TEXTS.map((name) => [name, fc.oneof(fc.string({ unit: 'grapheme' }), fc.constantFrom('Ton', 'load', 'tons'))])),
};
