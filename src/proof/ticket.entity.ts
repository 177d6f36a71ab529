import { Entity, Property } from '@mikro-orm/decorators/legacy';
import type { Ref } from '@mikro-orm/postgresql';
import { Field, ID, Int, ObjectType } from 'type-graphql';
import { Account } from '../directory/accounts/account.entity.ts';
import { Company } from '../directory/companies/company.entity.ts';
import { Equipment } from '../directory/equipment/equipment.entity.ts';
import { Material } from '../directory/master-data/named.entities.ts';
import { TicketSource } from '../directory/master-data/source.ts';
import { UnitOfMeasure } from '../directory/master-data/units.ts';
import { Site } from '../directory/sites/site.entity.ts';
import { Job } from '../dispatch/model/job.entity.ts';
import { Load } from '../dispatch/model/load.entity.ts';
import { Order } from '../dispatch/model/order.entity.ts';
import { signedUrlOf } from '../files/file-url.ts';
import { Audited } from '../platform/commands/audit.ts';
import { firstKnown } from '../platform/database/first-known.ts';
import { type Decimal, DecimalScalar } from '../platform/decimal.ts';
import { Choice, Flag, Instant, Numeric, One, RecordBase, Text, Uuid, Whole } from '../platform/model/columns.ts';
import { Computed, extendEntity, type Figures, Tenant } from '../platform/model/decorators.ts';
import { Json } from '../platform/scalars.ts';
import { materialsOfTicket } from './material-of-ticket.ts';
import { TicketAcceptance, TicketState, TicketStateEvent, ticketMachine } from './ticket.machine.ts';
import { TICKET_IMAGE_PATH, TICKET_PREVIEW_PATH } from './ticket-image-paths.ts';

const nullable = { nullable: true };
const WHOLE = ['jobId', 'quantity', 'ticketNumber', 'imageId', 'foreignImageUrl'] as const;
/** The first stop of a type with a site. */
const firstStop = (type: string): string => `(array_agg(s.name order by w.ordinality) filter (where w.type = '${type}'))[1]`;
/**
 * The names by which a ticket is called: those of the records that its load, its job and its order name, or the ticket itself; a load may have another material and
 * other stops than its job, and is summed and billed by these. Each of these records is looked up once for all
 * fields, which halves what a page of tickets takes. One of several ids is a row of its own (`given`): under row-level security PostgreSQL can use
 * an index for a column's value, but not for a `coalesce`, which is not leakproof.
 */
const NAMES: Figures = {
  name: 'names',
  sql: (
    t,
  ) => `select j.job_id as job, (select a.name from account a where a.id = given.account_id) as customer, (select p.name from project p where p.id = o.project_id) as project,
      (select d.name from dispatch_number d where d.id = o.dispatch_number_id) as dispatch, (select e.name from equipment e where e.id = given.equipment_id) as equipment,
      (select btrim(concat_ws(' ', u.first_name, u.last_name)) from app_user u where u.id = j.driver_id) as driver,
      (select m.name from material m where m.id = given.material_id) as material, stops.pickup, stops.dropoff
    from (select) one left join job j on j.id = ${t}.job_id left join orders o on o.id = ${t}.order_id left join load l on l.id = ${t}.load_id
      cross join lateral (select coalesce(o.account_id, ${t}.account_id) as account_id, coalesce(${t}.equipment_id, j.equipment_id) as equipment_id,
        coalesce(${materialsOfTicket(t, 'l', 'j', 'o').join(', ')}) as material_id, coalesce(l.route_id, j.route_id, o.route_id) as route_id offset 0) given
      cross join lateral (select ${firstStop('pickup')} as pickup, ${firstStop('drop_off')} as dropoff
        from waypoint w join site s on s.id = w.site_id where w.route_id = given.route_id and w.type in ('pickup', 'drop_off')) stops`,
  joined: {
    joins: (
      t,
      a,
    ) => `left join job ${a}_j on ${a}_j.id = ${t}.job_id left join orders ${a}_o on ${a}_o.id = ${t}.order_id left join load ${a}_l on ${a}_l.id = ${t}.load_id left join account ${a}_a on ${a}_a.id = ${firstKnown(`${a}_o.account_id`, `${t}.account_id`)}
      left join project ${a}_p on ${a}_p.id = ${a}_o.project_id left join dispatch_number ${a}_d on ${a}_d.id = ${a}_o.dispatch_number_id left join app_user ${a}_u on ${a}_u.id = ${a}_j.driver_id
      left join equipment ${a}_e on ${a}_e.id = ${firstKnown(`${t}.equipment_id`, `${a}_j.equipment_id`)} left join material ${a}_m on ${a}_m.id = ${firstKnown(...materialsOfTicket(t, `${a}_l`, `${a}_j`, `${a}_o`))}
      left join lateral (select ${firstStop('pickup')} as pickup, ${firstStop('drop_off')} as dropoff from waypoint w join site s on s.id = w.site_id
        where w.route_id = ${firstKnown(`${a}_l.route_id`, `${a}_j.route_id`, `${a}_o.route_id`)} and w.type in ('pickup', 'drop_off')) ${a}_s on true`,
    columns: (a) => ({
      job: `${a}_j.job_id`,
      customer: `${a}_a.name`,
      project: `${a}_p.name`,
      dispatch: `${a}_d.name`,
      equipment: `${a}_e.name`,
      driver: `case when ${a}_u.id is not null then btrim(concat_ws(' ', ${a}_u.first_name, ${a}_u.last_name)) end`,
      material: `${a}_m.name`,
      pickup: `${a}_s.pickup`,
      dropoff: `${a}_s.dropoff`,
    }),
  },
};

type Needed = Partial<Record<(typeof WHOLE)[number], unknown>>;

/** The fields that a ticket lacks and must have before it can be approved (DOMAIN 1.5). */
export const missingOf = ({ jobId, quantity, ticketNumber, imageId, foreignImageUrl }: Needed): string[] =>
  Object.entries({ jobId, quantity, ticketNumber, image: imageId ?? foreignImageUrl })
    .filter(([, value]) => value === null || value === undefined || value === '')
    .map(([field]) => field);

const isMissingInfo = (row: Needed): boolean => missingOf(row).length > 0;

/** Proves a load: what was weighed, where and when. Matched to a job it is `pending`, else `new` with what its sender called things. */
@Entity()
@Audited({ except: ['previewId', 'previewMimeType', 'previewSize', 'previewDueAt', 'previewAttempts'] })
@Tenant()
@ObjectType({ simpleResolvers: true })
export class Ticket extends RecordBase {
  @One(() => Company, { required: true, hidden: true }) company!: Ref<Company>;
  @One(() => Order) order?: Ref<Order> | null;
  @One(() => Job) job?: Ref<Job> | null;
  @One(() => Load) load?: Ref<Load> | null;
  @Choice(() => TicketState, { required: true }) state: TicketState = 'new';
  @Choice(() => TicketSource, { required: true }) source: TicketSource = 'driver_app';
  @Text() ticketNumber?: string | null;
  @Numeric() quantity?: Decimal | null;
  @Choice(() => UnitOfMeasure, { required: true }) unitOfMeasure: UnitOfMeasure = 'Ton';
  @Numeric({ description: 'The weight of the loaded truck, in the unit of the quantity.' }) grossQuantity?: Decimal | null;
  @Numeric({ description: 'The weight of the empty truck.' }) tareQuantity?: Decimal | null;
  @Text({ description: 'The weighmaster.' }) weighedBy?: string | null;
  @Choice(() => TicketAcceptance, { description: 'Null while nobody said it.' }) acceptance?: TicketAcceptance | null;
  @Numeric({ description: 'How much of the quantity was not accepted.' }) wastedQuantity?: Decimal | null;
  @Flag({ required: true }) flagged: boolean = false;
  /** When the material was served. */
  @Instant() serviceDate?: Date | null;
  @Instant() printedAt?: Date | null;
  @One(() => Material) material?: Ref<Material> | null;
  @One(() => Account, { hidden: true }) account?: Ref<Account> | null;
  /** Where the ticket was written. */
  @One(() => Site) site?: Ref<Site> | null;
  @One(() => Equipment, { hidden: true }) equipment?: Ref<Equipment> | null;
  @Text() notes?: string | null;
  /** Key of the picture's preview, once files/previews has made it; when that is due, and how often it was begun. */
  @Uuid({ hidden: true }) previewId?: string | null;
  @Text() previewMimeType?: string | null;
  @Whole({ hidden: true }) previewSize?: number | null;
  @Instant({ hidden: true }) previewDueAt?: Date | null;
  @Whole({ required: true, hidden: true }) previewAttempts: number = 0;
  /** The address of a picture that was not sent to us, from a payload. */
  @Property({ type: 'text', nullable: true, fieldName: 'image_url' }) foreignImageUrl?: string | null;
  @Text() imageMimeType?: string | null;
  /** Key of the bytes that were sent to us. */
  @Uuid({ hidden: true }) imageId?: string | null;
  @Text({ hidden: true }) imageName?: string | null;
  @Whole({ hidden: true }) imageSize?: number | null;
  @Text() ocrTicketNumber?: string | null;
  @Numeric() ocrTicketNumberConfidence?: Decimal | null;
  @Numeric() ocrNetQuantityTon?: Decimal | null;
  @Numeric() ocrNetQuantityTonConfidence?: Decimal | null;
  @Instant() ocrServiceDate?: Date | null;
  @Text() ocrServiceDateRawStr?: string | null;
  @Flag({ required: true }) ocrProcessed: boolean = false;
  @Flag({ required: true }) aiProcessed: boolean = false;
  /** As the sender wrote it, whatever it was matched to. */
  @Text() externalTruckId?: string | null;
  @Text() externalVendorName?: string | null;
  @Text() externalMaterialMaterialName?: string | null;
  @Numeric() externalNetWeight?: Decimal | null;
  @Text() externalNetWeightUnit?: string | null;
  @Text() externalTicketNumber?: string | null;
  @Instant({ hidden: true }) voidedAt?: Date | null;
  /** The quantity that the load had before the ticket was approved. */
  @Numeric({ hidden: true }) replacedQuantity?: Decimal | null;
  @Choice(() => UnitOfMeasure, { hidden: true }) replacedUnitOfMeasure?: UnitOfMeasure | null;
  @Property({ version: true }) @Field(() => Int) version: number = 1;

  @Field(() => String, nullable)
  @Computed({
    columns: ['id', 'companyId', 'imageId', 'foreignImageUrl'],
    compute: ({ id, companyId, imageId: key, foreignImageUrl }, application) =>
      key ? signedUrlOf(application, TICKET_IMAGE_PATH, { id, companyId, key }) : (foreignImageUrl ?? null),
  })
  imageUrl!: string | null;
  @Field(() => String, nullable)
  @Computed({
    columns: ['id', 'companyId', 'previewId'],
    compute: ({ id, companyId, previewId: key }, application) =>
      key ? signedUrlOf(application, TICKET_PREVIEW_PATH, { id, companyId, key }) : null,
  })
  previewUrl!: string | null;
  @Field(() => ID, nullable) @Computed({ sql: (t) => `${t}.order_id` }) orderId?: string | null;
  @Field(() => ID, nullable) @Computed({ sql: (t) => `${t}.job_id` }) jobId?: string | null;
  @Field(() => ID, nullable) @Computed({ sql: (t) => `${t}.load_id` }) loadId?: string | null;
  @Field(() => String, nullable) @Computed({ figures: NAMES, column: 'job' }) friendlyJobId?: string | null;
  @Field(() => String, nullable) @Computed({ figures: NAMES, column: 'customer' }) customerName?: string | null;
  @Field(() => String, nullable) @Computed({ figures: NAMES, column: 'project' }) projectName?: string | null;
  @Field(() => String, nullable) @Computed({ figures: NAMES, column: 'dispatch' }) dispatchNumberName?: string | null;
  @Field(() => String, nullable) @Computed({ figures: NAMES, column: 'equipment' }) equipmentName?: string | null;
  @Field(() => String, nullable) @Computed({ figures: NAMES, column: 'driver' }) driverName?: string | null;
  @Field(() => String, nullable)
  @Computed({
    sql: (t) =>
      `(select v.name from job_assignment x join account v on v.id = x.vendor_account_id where x.job_id = ${t}.job_id and x.customer_company_id = ${t}.company_id order by x.created_at desc limit 1)`,
  })
  vendorName?: string | null;
  @Field(() => String, nullable) @Computed({ figures: NAMES, column: 'material' }) materialName?: string | null;
  @Field(() => String, nullable) @Computed({ figures: NAMES, column: 'pickup' }) pickupSiteName?: string | null;
  @Field(() => String, nullable) @Computed({ figures: NAMES, column: 'dropoff' }) dropoffSiteName?: string | null;

  @Field(() => Boolean)
  @Computed({ columns: [...WHOLE], compute: isMissingInfo })
  missingInfo!: boolean;
  /** Events legal now (DOMAIN 1.0). */
  @Field(() => [TicketStateEvent])
  @Computed({
    columns: ['state', ...WHOLE, 'foundTwice'],
    compute: (row) => ticketMachine.open(row as { state: string }, { missing: missingOf(row), duplicate: row.foundTwice === true }),
  })
  stateEvents!: TicketStateEvent[];
  @Computed({ sql: (t) => `exists (select 1 from ai_review r where r.load_id = ${t}.load_id and r.status = 'duplicate')` })
  foundTwice!: boolean;

  /** All that was read from the picture. */
  @Field(() => String, nullable)
  @Computed({ sql: (t) => `(select r.full_text from ticket_reading r where r.id = ${t}.image_id)` })
  aiExtractedFullText?: string | null;
  @Field(() => Json, { nullable: true, description: 'The values that were read from the picture, by name; null before it was read.' })
  @Computed({
    sql: (
      t,
    ) => `coalesce((select r.fields::json from ticket_reading r where r.id = ${t}.image_id), case when ${t}.ocr_processed then json_build_object('ticket_number', ${t}.ocr_ticket_number,
      'net_quantity_ton', trim_scale(${t}.ocr_net_quantity_ton)::text, 'service_date', ${t}.ocr_service_date) end)`,
  })
  aiStructuredData?: object | null;
  @Field(() => DecimalScalar, {
    nullable: true,
    description: 'In per cent: the least of what was taken over from its picture, otherwise that of the review of its load.',
  })
  @Computed({
    sql: (t) =>
      `coalesce((select g.confidence from ticket_reading g where g.id = ${t}.image_id), (select round(r.confidence * 100, 2) from ai_review r where r.load_id = ${t}.load_id))`,
  })
  aiConfidenceScore?: Decimal | null;
}

/** The tickets of an order and of a job that the reader sees. */
export const workTicketExtensions = [
  extendEntity(Order, { tickets: { paged: () => Ticket, on: (ticket, order) => `${ticket}.order_id = ${order}.id` } }),
  extendEntity(Job, { tickets: { paged: () => Ticket, on: (ticket, job) => `${ticket}.job_id = ${job}.id` } }),
];
