import { definePurpose } from '../../platform/database/scope.ts';

/** Asking whether a name, an e-mail address or a telephone number is somebody's already, whosever: nothing else of them is read. */
export const TAKEN = definePurpose('taken', {
  company: ['select (match_name, discarded_at)'],
  app_user: ['select (match_email, phone, discarded_at, unclaimed)'],
});
