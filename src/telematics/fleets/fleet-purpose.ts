import { definePurpose } from '../../platform/database/scope.ts';

/** Finds the fleets of all companies that are due. What is read of them is stored company by company. */
export const FLEETS = definePurpose('telematics_fleets', {
  telematics_fleet: [
    'select (id, company_id, name, provider, server, account, mapping, poll_seconds, state, last_error, updated_at, revision, cursor, next_poll_at, attempts, vehicles_listed_at, failing_since, notified_at, last_asked_at)',
    'update (next_poll_at, attempts, state, last_error, failing_since, updated_at, last_asked_at)',
  ],
});
