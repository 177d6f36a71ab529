/** How particular a price is (DOMAIN 3.5): project and site, project, customer and site, customer, site, any. Greater goes first. */
export const specificity = (t: string): string => `(case
  when ${t}.project_id is not null then 5 + (${t}.site_id is not null)::int
  when ${t}.customer_account_id is not null then 3 + (${t}.site_id is not null)::int
  else 1 + (${t}.site_id is not null)::int end)`;

/**
 * A column of the price of an order's material: the most particular one that fits its project, its customer and where it is loaded, which is
 * the order's site for it or else the first pickup. Where the order has a price itself, only what the order says counts (DOMAIN 3.5).
 * @param own the order's column for it
 * @param at the material and the way, where they are others than the order's
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
