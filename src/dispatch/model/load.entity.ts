import { Embedded, Entity, Property } from '@mikro-orm/decorators/legacy';
import type { Ref } from '@mikro-orm/postgresql';
import { Field, Int, ObjectType } from 'type-graphql';
import { Account } from '../../directory/accounts/account.entity.ts';
import { Company } from '../../directory/companies/company.entity.ts';
import { Material } from '../../directory/master-data/named.entities.ts';
import { UnitOfMeasure } from '../../directory/master-data/units.ts';
import { User } from '../../directory/people/user.entity.ts';
import { Site } from '../../directory/sites/site.entity.ts';
import { Audited } from '../../platform/commands/audit.ts';
import type { Decimal } from '../../platform/decimal.ts';
import { Choice, Flag, Instant, Numeric, One, RecordBase, Text, Uuid, Uuids, Whole } from '../../platform/model/columns.ts';
import { Computed, Many, Single, Tenant } from '../../platform/model/decorators.ts';
import { booksOfOwner, loadHeldSql } from '../access/held-work.ts';
import {
  APPROVAL_STATUS,
  APPROVED,
  ApprovalStatus,
  MATERIAL_RATE,
  MATERIAL_RATE_ONES,
  MaterialRateAssignment,
  materialRateOf,
  materialRateSiteIdSql,
  materialRateSupplierIdSql,
} from './approval.ts';
import { Job } from './job.entity.ts';
import { LoadSummary } from './load-summary.ts';
import { Phase } from './phase.entity.ts';
import { Waypoint } from './route.entity.ts';
import { LoadState } from './states.ts';

/**
 * The condition that somebody should look at a load: a geofence moved it without being quite certain, or its review found something, and its
 * company has not approved it for billing. An index has these loads.
 */
export const isToReview = (l: string): string => `((${l}.needs_review or ${l}.review_flagged) and ${l}.billing_approved_at is null)`;
/** The condition that a person flagged a ticket which nobody has decided about. An index has these tickets. */
export const isFlaggedTicket = (k: string): string => `${k}.flagged and ${k}.state in ('new', 'pending')`;
/** The condition that somebody should look at a load, or at its ticket: what the field says, and what lists of such loads contain. */
const needsPerson = (l: string): string =>
  `(${l}.state <> 'canceled' and (${isToReview(l)} or exists (select from ticket k where k.load_id = ${l}.id and ${isFlaggedTicket('k')})))`;

/** One pickup-to-drop-off cycle of a job. */
@Entity()
@Audited()
@Tenant()
@ObjectType({ simpleResolvers: true })
export class Load extends RecordBase {
  @One(() => Company, { required: true }) company!: Ref<Company>;
  @One(() => Job, { required: true }) job!: Ref<Job>;
  /** The job's order, stored here so that an order's loads are found by one index. */
  @Uuid({ required: true, hidden: true }) orderId!: string;
  @Whole({ required: true }) ordinality!: number;
  /** Friendly number: the job's, a dash, and the load's place in it. */
  @Text({ required: true }) loadId!: string;
  @Choice(() => LoadState, { required: true }) state: LoadState = 'created';
  /** The state to which the load returns from `paused`. */
  @Choice(() => LoadState, { hidden: true }) pausedFrom?: LoadState | null;
  @Instant({ hidden: true }) pausedAt?: Date | null;
  /** Seconds spent paused, which do not count as cycle time. */
  @Whole({ required: true, hidden: true }) pausedSeconds: number = 0;
  @Numeric() quantity?: Decimal | null;
  @Choice(() => UnitOfMeasure) unitOfMeasure?: UnitOfMeasure | null;
  @Text() notes?: string | null;
  @One(() => Material) material?: Ref<Material> | null;
  @One(() => Phase) phase?: Ref<Phase> | null;
  @Uuids({ hidden: true }) foremanIds: string[] = [];
  @Instant() approvedAt?: Date | null;
  @Instant() billingApprovedAt?: Date | null;
  @Instant() fieldApprovedAt?: Date | null;
  @Flag({ required: true, hidden: true }) billerApproved: boolean = false;
  @Flag({ required: true, hidden: true }) companyAdminApproved: boolean = false;
  @Flag({ required: true, hidden: true }) driverApproved: boolean = false;
  @Flag({ required: true, hidden: true }) foremanApproved: boolean = false;
  @Numeric({ hidden: true }) materialSellPrice?: Decimal | null;
  @Numeric({ hidden: true }) materialBuyPrice?: Decimal | null;
  @Choice(() => UnitOfMeasure, { hidden: true }) materialRateUnitOfMeasure?: UnitOfMeasure | null;
  @One(() => Site, { hidden: true }) materialRateSite?: Ref<Site> | null;
  @One(() => Account, { hidden: true }) materialRateSupplierAccount?: Ref<Account> | null;
  @Embedded(() => LoadSummary, { prefix: 'summary_' }) @Field(() => LoadSummary) loadSummary: LoadSummary = new LoadSummary();
  @Property({ type: 'boolean', default: false, fieldName: 'needs_review' })
  @Field(() => Boolean, {
    description:
      'A geofence moved it without being quite certain, its sites changed while it had material, or its ticket alone says that it was hauled.',
  })
  doubted: boolean = false;
  /** The newest review of it found something. */
  @Flag({ required: true, hidden: true }) reviewFlagged: boolean = false;
  @Flag({ required: true, description: 'Nobody saw that it was loaded; it was, because it arrived at the drop-off.' })
  loadedInferred: boolean = false;
  /** The load of another truck that this one brings to its end, since the work was handed over. */
  @One(() => Load, { hidden: true, column: 'continues_load_id' }) continued?: Ref<Load> | null;
  /** The same for those who see that load: the work of the first driver is not that of the second. */
  @Single(() => Load, { on: (before, load) => `${before}.id = ${load}.continues_load_id` }) continuesLoad?: Load | null;
  @Uuid({ required: true, hidden: true }) routeId!: string;
  @Property({ version: true }) @Field(() => Int) version: number = 1;

  @Many(() => User, { ids: 'foremanIds' }) foremen!: User[];
  @Many(() => Waypoint, { local: 'routeId', foreign: 'routeId', order: { ordinality: 'asc' } }) waypoints!: Waypoint[];

  /** Friendly number of the job (SPEC: Load.job_id is a string, not a uuid). */
  @Field(() => String)
  @Computed({ columns: ['loadId'], compute: (row) => String(row.loadId).replace(/-\d+$/, '') })
  jobId!: string;

  @Field(() => Boolean, {
    description:
      'Somebody of your company should look at it, because a geofence was not quite certain, the review found something or somebody flagged its ticket. Approved for billing, a load is looked at.',
  })
  @Computed({ sql: needsPerson })
  needsReview!: boolean;

  @Field(() => ApprovalStatus)
  @Computed(APPROVAL_STATUS)
  approvalStatus!: ApprovalStatus;
  @Field(() => Boolean)
  @Computed(APPROVED)
  approved!: boolean;
  /** The load is completed and nobody has approved it yet (DOMAIN 1.4). */
  @Field(() => Boolean)
  @Computed({ columns: ['state', 'approvedAt'], compute: (row) => row.approvedAt === null && row.state === 'completed' })
  approvable!: boolean;
  /** Its job is signed off, or an approved invoice in the reader's books rests on it. Asked only of what is approved. */
  @Computed({ sql: (t) => `(${t}.approved_at is not null and ${loadHeldSql(t, booksOfOwner(t))})` }) approvalHeld!: boolean;
  @Field(() => Boolean)
  @Computed({ columns: ['approvedAt', 'approvalHeld'], compute: (row) => row.approvedAt !== null && !row.approvalHeld })
  unapprovable!: boolean;

  @Computed({ sql: materialRateSiteIdSql }) materialRateSiteKey!: string | null;
  @Computed({ sql: materialRateSupplierIdSql }) materialRateSupplierKey!: string | null;

  @Field(() => MaterialRateAssignment, { nullable: true })
  @Computed({ columns: MATERIAL_RATE, compute: materialRateOf, ones: MATERIAL_RATE_ONES })
  materialRateAssignment?: MaterialRateAssignment | null;
}
