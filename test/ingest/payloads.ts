/** An order of the customer C-1. */
export const order = (id: unknown, more: object = {}) => ({
  external_id: id,
  load_at: '2026-12-01T07:00:00',
  customer: { external_id: 'C-1', name: 'Acme' },
  ...more,
});

/** The project P-1 of the customer C-1. */
export const project = (more: object = {}) => ({ external_id: 'P-1', name: 'Bridge', customer: { external_id: 'C-1' }, ...more });

/** A ticket of the truck TRK. */
export const ticket = (id: string, more: object) => ({
  ticket_number: id,
  service_date: '2026-11-23T09:30:00',
  quantity: 20,
  unit_of_measure: 'Ton',
  truck_id: 'TRK',
  ...more,
});
