import { afterAll, beforeAll, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { SHEET_FIELDS, type SheetKind } from '../../../src/ingest/csv/fields.ts';
import { startTestApp, type TestApp } from '../../helpers/app.ts';
import { sweepRuns } from '../../helpers/properties.ts';
import { makeTenant } from '../../helpers/tenant.ts';
import { expectPreviewed } from '../dry-runs.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ worker: true, shared: true });
});
afterAll(() => app.close());

/** Values that a careless sender, a spreadsheet or an enemy puts anywhere. */
const TEXTS = [
  ...[
    '',
    ' ',
    '\u00a0',
    '0',
    '-1',
    'null',
    'NaN',
    'Infinity',
    '1e999',
    '0x10',
    '1,5',
    'true',
    '=1+1',
    "'; drop table orders; --",
    '%',
    '_',
    '\\',
  ],
  ...[
    'e\u0301cole',
    'ÉCOLE',
    'ΣΊΣΥΦΟΣ',
    'İstanbul',
    'straße',
    '\u202eevil',
    '👷🏽‍♀️',
    '\ufeffA',
    'a\tb\nc',
    'x'.repeat(256),
    'y'.repeat(10_001),
  ],
  ...[
    '2026-11-01T01:30:00',
    '2027-03-14T02:30:00',
    '2026-02-30',
    '0000-01-01',
    '9999-12-31T23:59:59',
    '2026-12-01T07:00:00+14:00',
    '20261201',
  ],
  ...[
    '00000000-0000-0000-0000-000000000000',
    '__proto__',
    'constructor',
    '+15125550100',
    '12',
    'a@b',
    'a@b.example',
    'tons',
    'pickup',
    'canceled',
  ],
];
const scalar = fc.oneof(
  fc.constantFrom(...TEXTS),
  fc.constant(null),
  fc.constantFrom<unknown>(true, false, 0, -0, 1, -1, 0.1, 1e-7, 1e14, 1e21, 1e300, -1e300, 2 ** 31, 2 ** 53, 200, 201),
  fc.string({ unit: 'grapheme', maxLength: 8 }).filter((text) => text.isWellFormed() && !text.includes('\0')),
);
const FIELDS = [
  'external_id',
  'name',
  'email',
  'phone',
  'waypoint',
  'full_address',
  'lat',
  'lon',
  'site_type',
  'code',
  'primary',
  'total_quantity',
];
const object = fc.dictionary(fc.constantFrom(...FIELDS, 'unit_of_measure', 'first_name'), scalar, { maxKeys: 5, noNullPrototype: true });
const value = fc.oneof({ weight: 4, arbitrary: scalar }, object, fc.array(fc.oneof(scalar, object), { maxLength: 3 }));

const customer = { external_id: 'C-1', name: 'Acme' };
const SOUND: Record<SheetKind, object> = {
  orders: { external_id: 'K', load_at: '2026-12-01T07:00:00', customer },
  projects: { external_id: 'K', name: 'Bridge', customer },
  tickets: { ticket_number: 'K', service_date: '2026-11-23', quantity: 22.4, unit_of_measure: 'Ton', truck_id: 'TRK-1' },
};
/** A sound element with a field or two that are odd, or several that are null; a ticket's number is not, because tickets of one number wait for each other. */
const elementOf = (kind: SheetKind) => {
  const roots = new Set([...SHEET_FIELDS[kind].map(({ path }) => path.split('.')[0]!), 'sites', 'phases', 'metadata']);
  roots.delete('ticket_number');
  const root = fc.constantFrom(...roots);
  const odd = fc.dictionary(root, value, { minKeys: 1, maxKeys: 2, noNullPrototype: true });
  const empty = fc.dictionary(root, fc.constant(null), { minKeys: 1, maxKeys: 8, noNullPrototype: true });
  return fc.oneof({ weight: 2, arbitrary: odd }, empty).map((fields) => ({ ...SOUND[kind], ...fields }));
};

test.each(['orders', 'projects', 'tickets'] as const)(
  'whatever values %s contain, none causes an internal error, and the dry run agrees',
  async (kind) => {
    const batch = fc.array(elementOf(kind), { minLength: 20, maxLength: 40 });
    await fc.assert(
      fc.asyncProperty(batch, batch, async (...batches) => {
        const tenant = await makeTenant(app);
        const numbered =
          kind === 'tickets' ? batches.map((all, b) => all.map((one, i) => ({ ...one, ticket_number: `${b}-${i}` }))) : batches;
        const settled = await expectPreviewed(app, tenant, kind, numbered);
        const faults = settled.flat().filter(({ last_error }: Json) => /^(internal|database)/m.test(last_error ?? ''));
        expect(faults.map(({ payload }: Json) => payload)).toEqual([]);
      }),
      { numRuns: sweepRuns(5), endOnFailure: true },
    );
  },
);
