/**
 * Returns SQL that ranks how specific a price is (DOMAIN 3.5): project and site, project, customer and site, customer, site, any. The
 * greater goes first.
 */
export const specificity = (t: string): string => `(case
  when ${t}.project_id is not null then 5 + (${t}.site_id is not null)::int
  when ${t}.customer_account_id is not null then 3 + (${t}.site_id is not null)::int
  else 1 + (${t}.site_id is not null)::int end)`;

/**
 * Returns SQL of a column of the material price of an order: the most specific price that fits its project, its customer and the place
 * where it is loaded, which is the order's site or else the first pickup. If the order has a price itself, only the order's values count
 * (DOMAIN 3.5).
 * @param own the order's column for it
 * @param at the material and the route, if they differ from the order's
 */
export const materialPriceOf = (column: string, own: string, at = { material: 'o.material_id', route: 'o.route_id' }): string => `case
  when o.material_rate_sell_price is not null or o.material_rate_buy_price is not null or ${at.material} is null then ${own}
  else coalesce(${own}, (select m.${column} from material_rate m
    where m.company_id = o.company_id and m.material_id = ${at.material} and m.discarded_at is null
      and (m.project_id is null or m.project_id = o.project_id)
      and (m.customer_account_id is null or m.customer_account_id = o.account_id or m.project_id is not null)
      and m.unit_of_measure = coalesce(o.material_rate_unit_of_measure, m.unit_of_measure)
      and (m.site_id is null or m.site_id = coalesce(o.material_rate_site_id, (select p.site_id from waypoint p
        where p.route_id = ${at.route} and p.type = 'pickup' order by p.ordinality, p.id limit 1)))
    order by ${specificity('m')} desc limit 1)) end`;
