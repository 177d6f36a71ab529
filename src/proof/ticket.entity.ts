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
import { type Decimal, DecimalScalar } from '../platform/decimal.ts';
import { Choice, Flag, Instant, Numeric, One, RecordBase, Text, Uuid, Whole } from '../platform/model/columns.ts';
import { Computed, extendEntity, Tenant } from '../platform/model/decorators.ts';
import { Json } from '../platform/scalars.ts';
import { TicketAcceptance, TicketState, TicketStateEvent, ticketMachine } from './ticket.machine.ts';
import { TICKET_IMAGE_PATH, TICKET_PREVIEW_PATH } from './ticket-image-paths.ts';

const nullable = { nullable: true };
const WHOLE = ['jobId', 'quantity', 'ticketNumber', 'imageId', 'foreignImageUrl'] as const;
const ofOrder =
  (value: string, joins = '') =>
  (t: string) =>
    `(select ${value} from orders o ${joins} where o.id = ${t}.order_id)`;
const ofJob =
  (value: string, joins = '') =>
  (t: string) =>
    `(select ${value} from job j ${joins} where j.id = ${t}.job_id)`;
/**
 * One of several ids, as a row to join with. Under row-level security PostgreSQL can use an index for a column's value, but not for a
 * `coalesce`, which is not leakproof: with it, each ticket read all stops, accounts and trucks.
 */
const firstOf = (...ids: string[]): string => `(select coalesce(${ids.join(', ')}) as id offset 0) given`;
/** The job's waypoint of a type; the order's before a job is known. */
const siteName = (type: string) => (t: string) =>
  `(select s.name from ${firstOf(ofJob('j.route_id')(t), ofOrder('o.route_id')(t))} join waypoint w on w.route_id = given.id join site s on s.id = w.site_id where w.type = '${type}' order by w.ordinality limit 1)`;

/** Whether a ticket lacks something that it must have before it can be approved (DOMAIN 1.5). */
export const isMissingInfo = (row: Partial<Record<(typeof WHOLE)[number], unknown>>): boolean =>
  [row.jobId, row.quantity, row.ticketNumber, row.imageId ?? row.foreignImageUrl].some(
    (value) => value === null || value === undefined || value === '',
  );

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
  @Field(() => String, nullable) @Computed({ sql: ofJob('j.job_id') }) friendlyJobId?: string | null;
  @Field(() => String, nullable)
  @Computed({
    sql: (t) => `(select a.name from ${firstOf(ofOrder('o.account_id')(t), `${t}.account_id`)} join account a on a.id = given.id)`,
  })
  customerName?: string | null;
  @Field(() => String, nullable)
  @Computed({ sql: ofOrder('p.name', 'join project p on p.id = o.project_id') })
  projectName?: string | null;
  @Field(() => String, nullable)
  @Computed({ sql: ofOrder('d.name', 'join dispatch_number d on d.id = o.dispatch_number_id') })
  dispatchNumberName?: string | null;
  @Field(() => String, nullable)
  @Computed({
    sql: (t) => `(select e.name from ${firstOf(`${t}.equipment_id`, ofJob('j.equipment_id')(t))} join equipment e on e.id = given.id)`,
  })
  equipmentName?: string | null;
  @Field(() => String, nullable)
  @Computed({ sql: ofJob(`btrim(concat_ws(' ', u.first_name, u.last_name))`, 'join app_user u on u.id = j.driver_id') })
  driverName?: string | null;
  @Field(() => String, nullable)
  @Computed({
    sql: (t) =>
      `(select v.name from job_assignment x join account v on v.id = x.vendor_account_id where x.job_id = ${t}.job_id and x.customer_company_id = ${t}.company_id order by x.created_at desc limit 1)`,
  })
  vendorName?: string | null;
  @Field(() => String, nullable)
  @Computed({
    sql: (t) => `(select m.name from ${firstOf(`${t}.material_id`, ofJob('j.material_id')(t))} join material m on m.id = given.id)`,
  })
  materialName?: string | null;
  @Field(() => String, nullable) @Computed({ sql: siteName('pickup') }) pickupSiteName?: string | null;
  @Field(() => String, nullable) @Computed({ sql: siteName('drop_off') }) dropoffSiteName?: string | null;

  @Field(() => Boolean)
  @Computed({ columns: [...WHOLE], compute: isMissingInfo })
  missingInfo!: boolean;
  /** Events legal now (DOMAIN 1.0). */
  @Field(() => [TicketStateEvent])
  @Computed({
    columns: ['state', ...WHOLE, 'foundTwice'],
    compute: (row) => ticketMachine.open(row as { state: string }, { missingInfo: isMissingInfo(row), duplicate: row.foundTwice === true }),
  })
  stateEvents!: TicketStateEvent[];
  @Computed({ sql: (t) => `exists (select 1 from ai_review r where r.load_id = ${t}.load_id and r.status = 'duplicate')` })
  foundTwice!: boolean;

  /** All that was read from the picture. */
  @Field(() => String, nullable)
  @Computed({ sql: (t) => `(select r.full_text from ticket_reading r where r.id = ${t}.image_id)` })
  aiExtractedFullText?: string | null;
  @Field(() => Json, { nullable: true, description: 'What was read from the picture, by name; null before it was read.' })
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

export const loadTicketExtension = extendEntity(Load, { ticket: { one: () => Ticket, foreign: 'load' } });
/** The tickets of an order and of a job that the reader sees. */
export const workTicketExtensions = [
  extendEntity(Order, { tickets: { paged: () => Ticket, on: (ticket, order) => `${ticket}.order_id = ${order}.id` } }),
  extendEntity(Job, { tickets: { paged: () => Ticket, on: (ticket, job) => `${ticket}.job_id = ${job}.id` } }),
];
