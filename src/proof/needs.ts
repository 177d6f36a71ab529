import { DRIVER, type Needs, own } from '../platform/authz/needs.ts';

/** What a role must permit for the root fields of this room. */
export const needs: Needs = [
  [
    [...own('edit_job'), DRIVER],
    'signJobAsDriver',
    'signJobAtDropoff',
    'removeJobSignature',
    'signLoadAsDriver',
    'signLoadAtDropoff',
    'removeLoadSignature',
  ],
  [['edit_job', DRIVER], 'signDriverDayAsDriver', 'signDriverDayAtDropoff', 'removeDriverDaySignature'],
  [own('edit_ticket'), 'setTicketImage', 'removeTicketImage', 'approveTicket', 'voidTicket', 'updateTicket'],
  [own('delete_ticket'), 'deleteTicket'],
  [own('create_ticket'), 'createTicket'],
  [own('approve_job'), 'approveJob', 'unapproveJob'],
  [own('approve_load'), 'approveLoad', 'unapproveLoad'],
];
