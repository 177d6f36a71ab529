import type { Query } from '../../platform/database/sql.ts';

interface Matched {
  table: string;
  /** The columns that name what a record is, and the expressions of what they get. */
  columns: Record<string, string>;
  /** The records that one may be: a query of `id`, `kind`, `accounting_id`, `external_id` and `name`, which is folded. `$2` is the company. */
  offered: string;
}

const accounts = (type: string): string =>
  `select id, null as kind, accounting_id, external_id, match_name as name from account
   where company_id = $2 and discarded_at is null and account_types @> '{${type}}'`;

const MATCHED: readonly Matched[] = [
  { table: 'linked_customer', columns: { customer_account_id: 'p.target' }, offered: accounts('customer') },
  { table: 'linked_vendor', columns: { vendor_account_id: 'p.target' }, offered: accounts('vendor') },
  {
    table: 'linked_item',
    columns: { itemizable_id: 'p.target', itemizable_type: 'p.kind' },
    offered: `select id, 'AddOn' as kind, accounting_id, external_id, fold_text(name) as name from add_on where company_id = $2 and discarded_at is null
      union all select id, 'Service', null, null, fold_text(name) from service where company_id = $2 and discarded_at is null
      union all select id, 'LineItemType', null, null, fold_text(name) from line_item_type where $2::uuid is not null`,
  },
];

/** By what a record is recognised, the surest first (BILLING B12). */
const RULES = [
  'f.accounting_id = o.external_key',
  'f.external_id = coalesce(o.external_id, o.external_key)',
  "f.name = fold_text(o.data->>'name')",
] as const;

/**
 * Maps records of a system to ours that nobody mapped. What two records would be, and what would be two of ours, stays unmapped: a person
 * decides. What a person decided is not touched.
 */
export async function matchRecords(query: Query, linkedAccountId: string, companyId: string): Promise<void> {
  for (const { table, columns, offered } of MATCHED)
    for (const rule of RULES) {
      const [column] = Object.keys(columns) as [string];
      await query(
        `update ${table} l set ${Object.entries(columns).map(([name, value]) => `${name} = ${value}`)}, updated_at = now()
         from (
           select o.id as record, f.id as target, f.kind, count(*) over (partition by o.id) as targets, count(*) over (partition by f.id) as records
           from ${table} o join (${offered}) f on ${rule}
           where o.linked_account_id = $1 and o.${column} is null and not o.mapped_by_hand and o.data->>'status' not in ('Archived', 'Inactive')
             and not exists (select from ${table} t where t.linked_account_id = $1 and t.${column} = f.id)) p
         where l.id = p.record and p.targets = 1 and p.records = 1`,
        [linkedAccountId, companyId],
      );
    }
}
