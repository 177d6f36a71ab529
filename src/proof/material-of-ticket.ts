/**
 * SQL of the ids of the materials that a ticket may be of, of which the first counts that is known, as deliveries have it: its own, that of its load, of its
 * job, and that of the order if it proves a load of it.
 * @param aliases of the ticket, its load, its job and its order
 */
export const materialsOfTicket = (t: string, l: string, j: string, o: string): [string, string, string, string] => [
  `${t}.material_id`,
  `${l}.material_id`,
  `${j}.material_id`,
  `case when ${l}.id is not null then ${o}.material_id end`,
];
