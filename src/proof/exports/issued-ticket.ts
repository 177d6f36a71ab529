import { materialRateSupplierIdSql } from '../../dispatch/model/approval.ts';
import { DecimalScalar } from '../../platform/decimal.ts';
import { relatedFields } from '../../platform/model/related-fields.ts';
import { Ticket } from '../ticket.entity.ts';

/** A quantity as it was when the ticket was approved: that before its first amendment (A-I11), otherwise as it is. */
const asIssued = (field: string, column: string, description: string) => ({
  sql: (t: string) => {
    const first = `from ticket_amendment a where a.ticket_id = ${t}.id and a.field = '${field}'`;
    return `(case when exists (select ${first}) then (select a.before::numeric ${first} order by a.created_at, a.id limit 1) else ${t}.${column} end)`;
  },
  internal: true as const,
  type: () => DecimalScalar,
  nullable: true as const,
  description,
});

/** What a ticket said before it was amended, and who sold its material. */
export const issuedTicket = relatedFields(Ticket, {
  originalQuantity: asIssued('quantity', 'quantity', 'The quantity when the ticket was approved, whatever was amended since.'),
  originalGrossQuantity: asIssued('grossQuantity', 'gross_quantity', 'The weight of the loaded truck then.'),
  originalTareQuantity: asIssued('tareQuantity', 'tare_quantity', 'The weight of the empty truck then.'),
  supplierName: {
    sql: (t) => `(select a.name from job j join account a on a.id = ${materialRateSupplierIdSql('j')} where j.id = ${t}.job_id)`,
    internal: true,
    type: () => String,
    nullable: true,
    description: 'The vendor who sells the material of its job.',
  },
});
