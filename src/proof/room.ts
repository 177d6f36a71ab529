import { ticketAmendmentAccess } from './amendments/ticket-amendment.access.ts';
import { amendedTicket, TicketAmendment } from './amendments/ticket-amendment.entity.ts';
import { approvalAssignmentAccess } from './approvals/approval-assignment.access.ts';
import { ApprovalAssignment } from './approvals/approval-assignment.entity.ts';
import { ApprovalState, approvalStateKey } from './approvals/approval-state.entity.ts';
import { approvalsMessages } from './approvals/approvals.messages.ts';
import { ApprovalsResolver, JobApprovalMutations, JobQueries, LoadApprovalMutations } from './approvals/approvals.resolver.ts';
import { ownApprovalsAccess } from './approvals/own-approvals.access.ts';
import { CHASES, chasesOfJobs } from './chasing/chase-tasks.ts';
import { chasingMessages } from './chasing/chasing.messages.ts';
import { PHOTO_LINKS, photoLinksReserved } from './chasing/photo-links.ts';
import { reminderTexts } from './chasing/reminder-text.ts';
import { chasedJob, openChaseKey, TicketChase } from './chasing/ticket-chase.entity.ts';
import { TicketChaseMutations } from './chasing/ticket-chase.resolver.ts';
import { APPROVE_DAYS } from './days/bulk-approve-days.ts';
import { DriverDayApprovalResolver, driverDayApprovalMutations } from './days/driver-day-approvals.resolver.ts';
import { DriverDayProofResolver, driverDayProofAccess, driverDayProofExtension, signedDay } from './days/driver-day-proof.resolver.ts';
import { bulkDownloadAccess } from './downloads/bulk-download.access.ts';
import { BulkDownload } from './downloads/bulk-download.entity.ts';
import { BulkDownloadResolver, bulkDownloadExtension } from './downloads/bulk-download.resolver.ts';
import { DOWNLOADS } from './downloads/download-queue.ts';
import { downloadsMessages } from './downloads/downloads.messages.ts';
import { AgencyTicketResolver } from './exports/agency-tickets.resolver.ts';
import { DailyExportResolver } from './exports/daily-export.resolver.ts';
import { issuedTicket } from './exports/issued-ticket.ts';
import { handOverMessages } from './hand-over/hand-over.messages.ts';
import { HandOverResolver } from './hand-over/hand-over.resolver.ts';
import { historyGrowsOnly, historyOfTickets } from './history/chain-tickets.ts';
import { TicketVerificationResolver } from './history/ticket-verification.resolver.ts';
import { proofLoadAccess, proofWorkAccess } from './load.access.ts';
import { provedLoad } from './load-proof.ts';
import { uploadsOfAgents } from './reading/agent-tickets.ts';
import { READINGS } from './reading/reading-tasks.ts';
import { AiReview, aiReviewLoadKey } from './review/ai-review.entity.ts';
import { REVIEWS, reviewsOfLoads } from './review/review-tasks.ts';
import { signatureAccess } from './signatures/signature.access.ts';
import { Signature } from './signatures/signature.entity.ts';
import { SignatureResolver } from './signatures/signature.resolver.ts';
import { ticketAccess, ticketFiles } from './ticket.access.ts';
import { Ticket, workTicketExtensions } from './ticket.entity.ts';
import { ticketFilters, ticketSearch, ticketSorts } from './ticket.lists.ts';
import { ticketMessages } from './ticket.messages.ts';
import { TicketMutations, TicketQueries, TicketResolver } from './ticket.resolver.ts';
import { ticketActiveLoadKey, ticketNumberKey } from './ticket-commands.ts';
import { TicketRollupResolver } from './ticket-rollup.ts';
import { ResourceUsageLog } from './usage-logs/resource-usage-log.entity.ts';
import { usageLogMessages } from './usage-logs/usage-logs.messages.ts';
import { UsageLogResolver } from './usage-logs/usage-logs.resolver.ts';

/** The entities of the room. */
export const entities = [
  ApprovalAssignment,
  ApprovalState,
  ResourceUsageLog,
  Ticket,
  TicketAmendment,
  BulkDownload,
  Signature,
  AiReview,
  TicketChase,
];

/** The accesses to the room's records: one for each entity. */
export const access = [
  proofLoadAccess,
  ...proofWorkAccess,
  ...ownApprovalsAccess,
  driverDayProofAccess,
  approvalAssignmentAccess,
  ticketAccess,
  ticketAmendmentAccess,
  signatureAccess,
  bulkDownloadAccess,
];

/** The records that files are attached to. */
export const attachables = [ticketFiles];

/** The filters, sorts and searches of the room's lists. */
export const lists = [ticketFilters, ticketSorts, ticketSearch];

/** The fields that unique rules and checks of the database are about. */
export const constraints = [aiReviewLoadKey, openChaseKey, approvalStateKey, ticketNumberKey, ticketActiveLoadKey];

/** The fields that the room adds to entities of lower rooms. */
export const extensions = [
  chasedJob,
  bulkDownloadExtension,
  provedLoad,
  amendedTicket,
  issuedTicket,
  driverDayProofExtension,
  signedDay,
  ...workTicketExtensions,
];

/** The room's messages. */
export const messages = [approvalsMessages, chasingMessages, downloadsMessages, handOverMessages, ticketMessages, usageLogMessages];

/** Writes the room's texts. */
export const composers = [reminderTexts];

/** The actions on many records in the background. */
export const bulkKinds = [APPROVE_DAYS];

/** The room's tasks across companies, and the tables that only they use. */
export const purposes = [CHASES, DOWNLOADS, PHOTO_LINKS, photoLinksReserved, READINGS, REVIEWS, historyGrowsOnly];

/** The consequences of changes of tickets, in the same transaction. */
export const consequences = [chasesOfJobs, historyOfTickets, reviewsOfLoads, uploadsOfAgents];

/** The fields of the room's interface. */
export const resolvers: Function[] = [
  ...TicketQueries,
  ...JobQueries,
  ApprovalsResolver,
  ...JobApprovalMutations,
  ...LoadApprovalMutations,
  DriverDayProofResolver,
  ...driverDayApprovalMutations,
  DriverDayApprovalResolver,
  AgencyTicketResolver,
  HandOverResolver,
  UsageLogResolver,
  TicketResolver,
  BulkDownloadResolver,
  DailyExportResolver,
  ...TicketMutations,
  SignatureResolver,
  TicketRollupResolver,
  TicketVerificationResolver,
  ...TicketChaseMutations,
];
