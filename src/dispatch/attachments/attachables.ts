import { defineAttachable } from '../../files/attachable.ts';
import { ofOrderAtSites } from '../access/at-sites.ts';
import { ofJobOfPerson, ofOrderOfPerson, projectOfPerson } from '../access/own-work.sql.ts';
import { DriverDay, dayAtSites, dayOfPerson } from '../model/driver-day.entity.ts';
import { Job } from '../model/job.entity.ts';
import { Load } from '../model/load.entity.ts';
import { Order } from '../model/order.entity.ts';
import { Project } from '../model/project.entity.ts';

const isWith = (table: string, id: string, condition: (t: string) => string): string =>
  `exists (select 1 from ${table} pf where pf.id = ${id} and ${condition('pf')})`;
const orderOfJob = (id: string): string => `(select fj.order_id from job fj where fj.id = ${id})`;
const jobOfLoad = (id: string): string => `(select fl.job_id from load fl where fl.id = ${id})`;

/** The records of this room that files can be attached to. */
export const workWithFiles = [
  defineAttachable('Order', { entity: Order, atSites: ofOrderAtSites, ofPerson: ofOrderOfPerson }),
  defineAttachable('Project', { entity: Project, ofPerson: (id, p) => isWith('project', id, (t) => projectOfPerson(t, p)) }),
  defineAttachable('DriverDay', {
    entity: DriverDay,
    atSites: (id, p) => isWith('driver_day', id, (t) => dayAtSites(t, p)),
    ofPerson: (id, p) => isWith('driver_day', id, (t) => dayOfPerson(t, p)),
  }),
  defineAttachable('Job', {
    entity: Job,
    hauled: true,
    atSites: (id, p) => ofOrderAtSites(orderOfJob(id), p),
    ofPerson: ofJobOfPerson,
  }),
  defineAttachable('Load', {
    entity: Load,
    hauled: true,
    atSites: (id, p) => ofOrderAtSites(orderOfJob(jobOfLoad(id)), p),
    ofPerson: (id, p) => isWith('load', id, (t) => ofJobOfPerson(`${t}.job_id`, p)),
  }),
];
