import { definePurpose } from '../../platform/database/scope.ts';

/** Finds compliance documents of all companies that expire soon, and their names. Events and mails are written company by company. */
export const REMINDERS = definePurpose('reminders', {
  compliance_document: [
    'select (id, company_id, compliant_type, compliant_id, compliance_document_type_id, expires_at, reminded_days, discarded_at)',
  ],
  compliance_document_type: ['select (id, name, discarded_at)'],
  account: ['select (id, name, discarded_at)'],
  equipment: ['select (id, company_id, name, discarded_at)'],
  app_user: ['select (id, company_id, first_name, last_name, discarded_at)'],
  company_share: ['select (company_shareable_id, receiver_company_id, valid_until)'],
  company: ['select (id, legal_name, language, time_zone, discarded_at)'],
});
