import { definePurpose } from '../../platform/database/scope.ts';
import type { Invariant } from './invariant.ts';
import { INVARIANTS_OF_BOOKS } from './invariants-of-books.ts';
import { INVARIANTS_OF_EVENTS } from './invariants-of-events.ts';

/** Compares the books of all companies. It writes nothing. */
export const INVARIANTS_CHECK = definePurpose('invariants', {
  orders: ['select'],
  job: ['select'],
  load: ['select'],
  ticket: ['select'],
  material: ['select'],
  project: ['select'],
  driver_day: ['select'],
  driver_state_event: ['select'],
  invoice: ['select'],
  invoice_line_item: ['select'],
  invoice_task: ['select'],
  settlement: ['select'],
  settlement_invoice: ['select'],
  billing_period: ['select'],
  add_on_charge: ['select'],
  auto_add_on_assignment: ['select'],
  imported_record: ['select'],
  import_key: ['select'],
  import_task: ['select'],
  file_attachment: ['select'],
  audit_entry: ['select'],
  audit_kept: ['select'],
  transition: ['select'],
  webhook_delivery: ['select'],
  webhook_record: ['select'],
  webhook_subscription: ['select (id, company_id, created_at, trigger_names, include_children)'],
  company: ['select (id, parent_company_id, discarded_at, updated_at)'],
  outbox_event: ['select (id, company_id, name, subject_type, subject_id, payload, created_at)'],
  change_feed: ['select (company_id, position, begins_after)'],
  change_entry: ['select (company_id, owner_company_id, position, subject_type, subject_id, kind, state, changed_at, moved_at)'],
  change_pending: ['select (subject_id)'],
});

/** The invariants of books and events, whatever happened and whatever was killed. */
export const INVARIANTS: readonly Invariant[] = [...INVARIANTS_OF_BOOKS, ...INVARIANTS_OF_EVENTS];
