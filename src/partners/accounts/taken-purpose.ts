import { definePurpose } from '../../platform/database/scope.ts';

/** Asks whether a name, an e-mail address or a telephone number is taken by anybody; nothing else of them is read. */
export const TAKEN = definePurpose('taken', {
  company: ['select (match_name, discarded_at)'],
  app_user: ['select (match_email, phone, discarded_at, unclaimed)'],
});
