import { FileAttachment } from '../../files/file-attachment.entity.ts';
import { defineAccess } from '../../platform/read/access.ts';
import { RECORD_FIELDS } from '../../platform/read/partner-fields.ts';
import { dayOfPerson } from '../model/driver-day.entity.ts';
import { ofOrderAtSites } from './at-sites.ts';
import { ofJobOfPerson, ofOrderOfPerson, projectOfPerson } from './own-work.sql.ts';
import { visibleToVendor } from './subcontracted.ts';

/** The job that a file is about: the file is attached to it or to one of its loads. */
const jobOfFile = (t: string): string =>
  `case ${t}.file_attachable_type when 'Job' then ${t}.file_attachable_id when 'Load' then (select fl.job_id from load fl where fl.id = ${t}.file_attachable_id) end`;
const orderOfFile = (t: string): string =>
  `case ${t}.file_attachable_type when 'Order' then ${t}.file_attachable_id else (select fj.order_id from job fj where fj.id = ${jobOfFile(t)}) end`;

export const fileAttachmentAccess = defineAccess(FileAttachment, {
  // A company that hauls a job reads the files of that job and adds some. The files of the order and the project stay with the owner.
  subcontracted: (t, p) =>
    `(${t}.file_attachable_type in ('Job', 'Load') and ${visibleToVendor(`(${jobOfFile(t)})`, `${t}.uploaded_by_company_id`, p)})`,
  sites: (t, p) => `(${t}.file_attachable_type not in ('Order', 'Job', 'Load') or ${ofOrderAtSites(`(${orderOfFile(t)})`, p)})`,
  ownRecords: (t, p) => {
    const id = `${t}.file_attachable_id`;
    return `(${t}.uploaded_by_id = ${p} or case ${t}.file_attachable_type
    when 'Project' then exists (select 1 from project pf where pf.id = ${id} and ${projectOfPerson('pf', p)})
    when 'Order' then ${ofOrderOfPerson(id, p)}
    when 'DriverDay' then exists (select 1 from driver_day pf where pf.id = ${id} and ${dayOfPerson('pf', p)})
    when 'Job' then ${ofJobOfPerson(id, p)}
    when 'Load' then exists (select 1 from load pf where pf.id = ${id} and ${ofJobOfPerson('pf.job_id', p)})
    when 'Ticket' then exists (select 1 from ticket pf where pf.id = ${id} and ${ofJobOfPerson('pf.job_id', p)})
    else false end)`;
  },
  partnerFields: {
    passed: [
      ...RECORD_FIELDS,
      'companyId',
      'category',
      'description',
      'fileAttachableType',
      'fileAttachableId',
      'fileName',
      'mimeType',
      'fileUrl',
    ]
      .concat(['previewId', 'previewMimeType', 'previewUrl', 'uploadedByType', 'uploadedById', 'uploadedByName', 'uploadedByCompanyId'])
      .concat(['uploadedBy', 'editable', 'deletable']),
    // Who acted as somebody else is a matter of that person's company.
    kept: ['byteSize', 'sha256', 'fingerprint', 'previewSize', 'realActorType', 'realActorId', 'realActorName'],
    sorts: ['createdAt'],
  },
});
