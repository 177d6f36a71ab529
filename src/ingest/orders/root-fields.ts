/** Root fields of an order's payload by kind; the column has the field's name. */
export const TEXTS = ['name', 'notes', 'internal_notes', 'job_notes', 'order_notes', 'po_job_number', 'zone', 'charge_to_account'];

export const DECIMALS = [
  'quantity',
  'job_quantity',
  'customer_rate_value',
  'vendor_rate_value',
  'driver_rate_value',
  'equipment_type_gross_capacity',
  'pickup_to_dropoff_distance_meters',
  'material_rate_sell_price',
  'material_rate_buy_price',
  'tax_rate',
];

export const WHOLES = [
  'units_per_hour',
  'job_time',
  'loads_per_truck',
  'truck_delay',
  'trucks_per_delay',
  'pickup_onsite_minutes',
  'dropoff_onsite_minutes',
  'pickup_to_dropoff_time_minutes',
  'expected_total_loads',
  'cycle_time_minutes',
  'geofence_delay_seconds',
];

export const FLAGS = [
  'recurring_loads',
  'material_rate_itemized',
  'chase_missing_tickets',
  'default_digital_ticket_view',
  'tax_freight',
  'tax_material',
  'tax_add_ons',
];
