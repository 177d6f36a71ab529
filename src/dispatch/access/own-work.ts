import { FileAttachment } from '../../files/file-attachment.entity.ts';
import { restrictToOwnRecords } from '../../platform/model/decorators.ts';
import { BulkAction, BulkActionItem } from '../bulk/bulk-action.entity.ts';
import { dayOfPerson } from '../model/driver-day.entity.ts';
import { Job } from '../model/job.entity.ts';
import { JobAssignment } from '../model/job-assignment.entity.ts';
import { JobEvent } from '../model/job-event.entity.ts';
import { Load } from '../model/load.entity.ts';
import { Order } from '../model/order.entity.ts';
import { Project } from '../model/project.entity.ts';
import { jobOfPerson, ofJobOfPerson, ofOrderOfPerson, orderOfPerson, projectOfPerson } from './own-work.sql.ts';

restrictToOwnRecords(Order, orderOfPerson);
restrictToOwnRecords(Job, jobOfPerson);
for (const entity of [Load, JobEvent, JobAssignment]) restrictToOwnRecords(entity, (t, p) => ofJobOfPerson(`${t}.job_id`, p));
restrictToOwnRecords(Project, projectOfPerson);
// The result of a bulk action is visible to the person who asked for it.
restrictToOwnRecords(BulkAction, (t, p) => `${t}.created_by_id = ${p}`);
restrictToOwnRecords(
  BulkActionItem,
  (t, p) => `exists (select 1 from bulk_action pb where pb.id = ${t}.bulk_action_id and pb.created_by_id = ${p})`,
);
restrictToOwnRecords(FileAttachment, (t, p) => {
  const id = `${t}.file_attachable_id`;
  return `(${t}.uploaded_by_id = ${p} or case ${t}.file_attachable_type
    when 'Project' then exists (select 1 from project pf where pf.id = ${id} and ${projectOfPerson('pf', p)})
    when 'Order' then ${ofOrderOfPerson(id, p)}
    when 'DriverDay' then exists (select 1 from driver_day pf where pf.id = ${id} and ${dayOfPerson('pf', p)})
    when 'Job' then ${ofJobOfPerson(id, p)}
    when 'Load' then exists (select 1 from load pf where pf.id = ${id} and ${ofJobOfPerson('pf.job_id', p)})
    when 'Ticket' then exists (select 1 from ticket pf where pf.id = ${id} and ${ofJobOfPerson('pf.job_id', p)})
    else false end)`;
});
