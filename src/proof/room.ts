import { AiReview } from './ai-review.entity.ts';
import { ApprovalAssignment } from './approvals/approval-assignment.entity.ts';
import { ApprovalsResolver, JobApprovalMutations, LoadApprovalMutations } from './approvals/approvals.resolver.ts';
import { bulkDownloadAccess } from './downloads/bulk-download.access.ts';
import { BulkDownload } from './downloads/bulk-download.entity.ts';
import { BulkDownloadResolver } from './downloads/bulk-download.resolver.ts';
import { DailyExportResolver } from './exports/daily-export.resolver.ts';
import { proofLoadAccess } from './load.access.ts';
import { LoadProofResolver } from './load-proof.resolver.ts';
import { signatureAccess } from './signatures/signature.access.ts';
import { Signature } from './signatures/signature.entity.ts';
import { SignatureResolver } from './signatures/signature.resolver.ts';
import { ticketAccess } from './ticket.access.ts';
import { Ticket } from './ticket.entity.ts';
import { TicketMutations, TicketResolver } from './ticket.resolver.ts';
import { TicketRollupResolver } from './ticket-rollup.ts';

/** The entities of the room. */
export const entities = [ApprovalAssignment, Ticket, BulkDownload, Signature, AiReview];

/** Who sees the room's records: one access for each entity. */
export const access = [proofLoadAccess, ticketAccess, signatureAccess, bulkDownloadAccess];

/** The fields of the room's interface. */
export const resolvers: Function[] = [
  ApprovalsResolver,
  ...JobApprovalMutations,
  ...LoadApprovalMutations,
  LoadProofResolver,
  TicketResolver,
  BulkDownloadResolver,
  DailyExportResolver,
  ...TicketMutations,
  SignatureResolver,
  TicketRollupResolver,
];
