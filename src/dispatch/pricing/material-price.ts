/**
 * Returns SQL that ranks how specific a price is (DOMAIN 3.5): project and site, project, customer and site, customer, site, any. The
 * greater goes first.
 */
export const specificity = (t: string): string => `(case
  when ${t}.project_id is not null then 5 + (${t}.site_id is not null)::int
  when ${t}.customer_account_id is not null then 3 + (${t}.site_id is not null)::int
  else 1 + (${t}.site_id is not null)::int end)`;

/** The work and the material that a price is for, as SQL. */
export interface Priced {
  material: string;
  route: string;
  /** The supplier that was named for the material; null for the one of the price list. */
  supplier: string;
}
const OF_ORDER: Priced = { material: 'o.material_id', route: 'o.route_id', supplier: 'o.material_rate_supplier_account_id' };

/** Columns of the price list that are found for an order. */
export type PriceColumn = 'sell_price' | 'buy_price' | 'unit_of_measure' | 'site_id' | 'supplier_account_id';

/** The unit that the prices of a job's or load's material are per. */
export const PRICE_UNIT = 'material_rate_unit_of_measure';
export const SUPPLIER = 'material_rate_supplier_account_id';
/** The prices of the material on jobs and loads, and the column of an order or of the price list that each comes from. */
export const PRICES = {
  material_sell_price: 'sell_price',
  material_buy_price: 'buy_price',
  [PRICE_UNIT]: 'unit_of_measure',
  material_rate_site_id: 'site_id',
  [SUPPLIER]: 'supplier_account_id',
} as const satisfies Record<string, PriceColumn>;
export const PRICE_COLUMNS: readonly string[] = Object.keys(PRICES);

/**
 * Returns SQL of a column of the material price of an order: the most specific price that fits its project, its customer and the place
 * where it is loaded, which is the order's site or else the first pickup. If the order has a price itself, only the order's values count
 * (DOMAIN 3.5). What a customer pays does not depend on who sells the material. What it is bought for is a price of the supplier who is
 * named, or of none; another supplier's is not his.
 * @param own the order's column for it
 * @param its the material, the route and the supplier, if they differ from the order's
 */
export function materialPriceOf(column: PriceColumn, own: string, its: Priced = OF_ORDER): string {
  const listed = listedOf(column, its);
  const ofSupplier = `(m.supplier_account_id is null or m.supplier_account_id = ${its.supplier})`;
  // In the unit of what the customer pays, because both prices have the same.
  const bought = listedOf(column, its, `${ofSupplier} and m.unit_of_measure = ${listedOf('unit_of_measure', its)}`);
  return `case
  when o.material_rate_sell_price is not null or o.material_rate_buy_price is not null or ${its.material} is null then ${own}
  else coalesce(${own}, ${column === 'buy_price' ? `case when ${its.supplier} is null then ${listed} else ${bought} end` : listed}) end`;
}

/** Returns SQL of a column of the price list for order `o`. */
const listedOf = (column: PriceColumn, { material, route }: Priced, more = 'true'): string => `(select m.${column} from material_rate m
    where m.company_id = o.company_id and m.material_id = ${material} and m.discarded_at is null
      and (m.project_id is null or m.project_id = o.project_id)
      and (m.customer_account_id is null or m.customer_account_id = o.account_id or m.project_id is not null)
      and m.unit_of_measure = coalesce(o.material_rate_unit_of_measure, m.unit_of_measure)
      and (m.site_id is null or m.site_id = coalesce(o.material_rate_site_id, (select p.site_id from waypoint p
        where p.route_id = ${route} and p.type = 'pickup' order by p.ordinality, p.id limit 1)))
      and ${more}
    order by ${specificity('m')} desc limit 1)`;
