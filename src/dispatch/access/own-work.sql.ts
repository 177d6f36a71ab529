/*
 * The records that people with `ownRecordsOnly` may read (DOMAIN section 2). A person leads an order that they requested or whose crew they belong to
 * (foremen, collaborators, salespeople), and reads it with all of its jobs. Of other orders they read the jobs that they drive or whose
 * crew they belong to, and the order itself. Loads, events, links, tickets and files are readable with their job or order. `t` is a
 * record's alias, `p` the person's id.
 */

const crewed = (t: string, p: string): string =>
  `${p} = any(${t}.foreman_ids) or ${p} = any(${t}.collaborator_ids) or ${p} = any(${t}.salesperson_ids)`;
const led = (t: string, p: string): string => `(${t}.requester_id = ${p} or ${crewed(t, p)})`;
/** The condition that the person may read a job. */
export const jobOfPerson = (t: string, p: string): string =>
  `(${t}.driver_id = ${p} or ${crewed(t, p)} or ${ofLedOrder(`${t}.order_id`, p)})`;
// Drivers find their orders by the index on a job's driver. People who lead orders find them early in every list.
export const orderOfPerson = (t: string, p: string): string =>
  `(${led(t, p)} or ${t}.id in (select pj.order_id from job pj where pj.driver_id = ${p})
    or exists (select 1 from job pj where pj.order_id = ${t}.id and (${crewed('pj', p)})))`;
export const projectOfPerson = (t: string, p: string): string =>
  `(${led(t, p)} or exists (select 1 from orders pp where pp.project_id = ${t}.id and ${orderOfPerson('pp', p)}))`;
export const ofOrderOfPerson = (id: string, p: string): string =>
  `exists (select 1 from orders po where po.id = ${id} and ${orderOfPerson('po', p)})`;

/** The condition that the person leads the order of an id. */
export function ofLedOrder(id: string, p: string): string {
  return `exists (select 1 from orders pl where pl.id = ${id} and ${led('pl', p)})`;
}

/** The condition that the person may read the job of an id. */
export function ofJobOfPerson(id: string, p: string): string {
  return `exists (select 1 from job pw where pw.id = ${id} and ${jobOfPerson('pw', p)})`;
}
