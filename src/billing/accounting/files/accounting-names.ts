import type { Context } from '../../../platform/context.ts';
import { queryOf } from '../../../platform/database/sql.ts';

/** The names of our records in accounting, by the mappings. */
export interface AccountingNames {
  /** By side and id of the account, as `customer 018c...`. */
  parties: Record<string, string>;
  /** By type and id, as `Service 018c...`. */
  items: Record<string, string>;
  /** By its type. */
  ledgers: Record<string, string>;
}

// Systems that exchange files come first: their names are those that files have to have.
const NAMES = `with systems as (select id, row_number() over (order by system <> 'file', created_at, id) as place from linked_account
    where company_id = $1 and status <> 'unlinked'),
  named as (
    select 'parties' as kind, 'customer ' || r.customer_account_id as key, r.data->>'name' as name, y.place
      from linked_customer r join systems y on y.id = r.linked_account_id where r.customer_account_id is not null
    union all select 'parties', 'vendor ' || r.vendor_account_id, r.data->>'name', y.place
      from linked_vendor r join systems y on y.id = r.linked_account_id where r.vendor_account_id is not null
    union all select 'items', r.itemizable_type || ' ' || r.itemizable_id, r.data->>'name', y.place
      from linked_item r join systems y on y.id = r.linked_account_id where r.itemizable_id is not null
    union all select 'ledgers', r.type, r.data->>'name', y.place
      from linked_ledger_account r join systems y on y.id = r.linked_account_id where r.type is not null)
  select kind, json_object_agg(key, name order by place desc, name) as names from named
  where kind = 'ledgers' or $2::text[] is null or key = any($2::text[]) group by kind`;

/**
 * The names of everything of a company that is mapped. Of records that several systems have, the first system counts.
 * @param of the keys of the parties and items that are wanted; by default, all of them
 */
export async function namesOf(ctx: Context, companyId: string, of: readonly string[] | null = null): Promise<AccountingNames> {
  const rows = await queryOf<{ kind: keyof AccountingNames; names: Record<string, string> }>(ctx, NAMES, [companyId, of]);
  return { parties: {}, items: {}, ledgers: {}, ...Object.fromEntries(rows.map(({ kind, names }) => [kind, names])) };
}
