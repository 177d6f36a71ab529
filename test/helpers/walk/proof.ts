import { of, own, type Row } from './expectation.ts';

/** The permissions of the root fields of src/proof. */
export const PROOF: Row[] = [
  ...of(undefined, 'company', 'jobSignatures', 'loadSignatures', 'driverDaySignatures'),
  ...own(['grant', 'driver'], of('job', 'edit_job', 'signJobAsDriver', 'signJobAtDropoff', 'removeJobSignature')),
  ...own(['grant', 'driver'], of('load', 'edit_job', 'signLoadAsDriver', 'signLoadAtDropoff', 'removeLoadSignature')),
  ...own(['driver'], of('driverDay', 'edit_job', 'signDriverDayAsDriver', 'signDriverDayAtDropoff', 'removeDriverDaySignature')),
  ...of(undefined, 'company', 'tickets', 'ticketRollup', 'dailyTicketExport'),
  ...of('ticket', 'company', 'ticket', 'ticketVerification'),
  ...of(undefined, 'company', 'createBulkDownload'),
  ...of('bulkDownload', 'company', 'bulkDownload'),
  ...own(['grant'], of('ticket', 'edit_ticket', 'setTicketImage', 'removeTicketImage', 'approveTicket', 'voidTicket', 'updateTicket')),
  ...of('ticket', 'edit_ticket', 'amendTicket'),
  ...of('finishedJob', 'edit_ticket', 'waiveMissingTickets', 'askForMissingTickets'),
  ...own(['grant'], of('ticket', 'delete_ticket', 'deleteTicket')),
  ...own(['grant'], of(undefined, 'create_ticket', 'createTicket')),
  ...of(undefined, 'company', 'jobsToApprove', 'loadsToApprove', 'jobApprovals', 'loadApprovals', 'jobApprovalStatus'),
  ['handOverJob', { who: 'assign_job', also: 'edit_job', of: 'job', own: ['grant'] }],
  ...own(['grant'], of('finishedJob', 'approve_job', 'approveJob', 'unapproveJob')),
  ...of(undefined, 'company', 'driverDayResourceUsageLogs', 'jobResourceUsageLogs', 'loadResourceUsageLogs'),
  ...of(undefined, 'create_resource_usage_log', 'createDriverDayResourceUsageLog'),
  ...of(undefined, 'edit_resource_usage_log', 'changeDriverDayResourceUsageLogs', 'changeJobResourceUsageLogs'),
  ...of('resourceUsageLog', 'edit_resource_usage_log', 'updateResourceUsageLog'),
  ...of('resourceUsageLog', 'delete_resource_usage_log', 'deleteResourceUsageLog'),
  ...of(undefined, 'company', 'driverDayApprovals', 'driverDayApprovalStatus'),
  ...own(['grant'], of('driverDay', 'approve_driver_day', 'approveDriverDay', 'unapproveDriverDay')),
  ...own(['grant'], of('load', 'approve_load', 'approveLoad', 'unapproveLoad')),
];
