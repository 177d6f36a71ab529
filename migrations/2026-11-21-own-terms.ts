import { Migration } from '@mikro-orm/migrations';

/** What somebody set on a job or load itself stays there (DOMAIN 3.3 "manual override on the job, never replaced"). */
export class OwnTerms extends Migration {
  override up(): void {
    // Columns that do not follow the order; null for none, which costs rows that have none nothing.
    this.addSql('alter table job add column own_terms text[]');
    this.addSql('alter table load add column own_terms text[]');
    // What jobs that have not left carry otherwise than their order was set on them.
    const terms: Record<string, string> = {
      notes: 'o.job_notes',
      quantity: 'o.job_quantity',
      unit_of_measure: 'o.job_unit_of_measure',
      load_unit_of_measure: 'coalesce(o.load_unit_of_measure, o.unit_of_measure)',
      ...Object.fromEntries(
        [
          ...['service_class_id', 'material_id', 'recurring_loads', 'job_time', 'foreman_ids', 'collaborator_ids', 'salesperson_ids'],
          ...['sales_contact_id', 'foreman_contact_id', 'supervisor_contact_id', 'collaborator_contact_id', 'hauler_rate_type'],
          ...['customer', 'vendor', 'driver'].flatMap((side) => [`${side}_rate_id`, `${side}_rate_value`, `${side}_rate_type`]),
        ].map((column) => [column, `o.${column}`]),
      ),
    };
    const differ = Object.entries(terms).map(([column, value]) => `case when j.${column} is distinct from ${value} then '${column}' end`);
    this.addSql(`update job j set own_terms = d.own from (
        select j.id, array_remove(array[${differ.join(', ')}], null) as own from job j join orders o on o.id = j.order_id
        where j.state in ('created', 'assigned', 'sent', 'accepted', 'rejected')) d
      where d.id = j.id and d.own <> '{}'`);
  }
}
