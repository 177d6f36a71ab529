import { defineAccess } from '../../platform/read/access.ts';
import { RECORD_FIELDS } from '../../platform/read/partner-fields.ts';
import { Contact } from './contact.entity.ts';

export const contactAccess = defineAccess(Contact, {
  // A reader of a company reads its contact too; the company's policy decides which companies those are.
  rowPolicy: { readable: { column: 'id', exists: (id) => `select from company c where c.primary_contact_id = ${id}` } },
  partnerFields: { passed: [...RECORD_FIELDS, 'companyId', 'siteId', 'name', 'email', 'phone'] },
});
