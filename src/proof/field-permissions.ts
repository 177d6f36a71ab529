import { allOrOwn, DRIVER, type FieldPermissions } from '../platform/authz/field-permissions.ts';

/** The permissions of the root fields of this room. */
export const fieldPermissions: FieldPermissions = [
  [
    [...allOrOwn('edit_job'), DRIVER],
    'signJobAsDriver',
    'signJobAtDropoff',
    'removeJobSignature',
    'signLoadAsDriver',
    'signLoadAtDropoff',
    'removeLoadSignature',
  ],
  [['edit_job', DRIVER], 'signDriverDayAsDriver', 'signDriverDayAtDropoff', 'removeDriverDaySignature'],
  [allOrOwn('edit_ticket'), 'setTicketImage', 'removeTicketImage', 'approveTicket', 'voidTicket', 'updateTicket'],
  [allOrOwn('delete_ticket'), 'deleteTicket'],
  [allOrOwn('create_ticket'), 'createTicket'],
  [allOrOwn('approve_job'), 'approveJob', 'unapproveJob'],
  [allOrOwn('approve_load'), 'approveLoad', 'unapproveLoad'],
];
