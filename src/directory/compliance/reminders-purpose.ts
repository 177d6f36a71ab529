import { definePurpose } from '../../platform/database/scope.ts';

/** Finds compliance documents of all companies that expire soon, and their names. Events and mails are written company by company. */
export const REMINDERS = definePurpose('reminders', {
  compliance_document: ['select'],
  compliance_document_type: ['select'],
  account: ['select (id, name, discarded_at)'],
  equipment: ['select (id, name, discarded_at)'],
  app_user: ['select (id, first_name, last_name, discarded_at)'],
  company: ['select (id, legal_name, language, time_zone, discarded_at)'],
});
