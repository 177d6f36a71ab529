import { byKind } from '../../files/attachable.ts';
import { FileAttachment } from '../../files/file-attachment.entity.ts';
import { defineAccess } from '../../platform/read/access.ts';
import { RECORD_FIELDS } from '../../platform/read/partner-fields.ts';
import { visibleToVendor } from './subcontracted.ts';

/** The job that a file is about: the file is attached to it or to one of its loads. */
const jobOfFile = (t: string): string =>
  `case ${t}.file_attachable_type when 'Job' then ${t}.file_attachable_id when 'Load' then (select fl.job_id from load fl where fl.id = ${t}.file_attachable_id) end`;

export const fileAttachmentAccess = defineAccess(FileAttachment, {
  // A company that hauls a job reads the files of that job and adds some. The files of the order and the project stay with the owner.
  subcontracted: (t, p) =>
    `(${t}.file_attachable_type in ('Job', 'Load') and ${visibleToVendor(`(${jobOfFile(t)})`, `${t}.uploaded_by_company_id`, p)})`,
  sites: (t, p) => byKind(t, p, 'atSites', true),
  ownRecords: (t, p) => `(${t}.uploaded_by_id = ${p} or ${byKind(t, p, 'ofPerson', false)})`,
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
    // The person who acted as somebody else is a matter of that person's company.
    kept: ['byteSize', 'sha256', 'fingerprint', 'previewSize', 'realActorType', 'realActorId', 'realActorName'],
    sorts: ['createdAt'],
  },
});
