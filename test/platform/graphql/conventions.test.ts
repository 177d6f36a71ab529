import { expect, test } from '@jest/globals';
import {
  type GraphQLField,
  type GraphQLOutputType,
  getNamedType,
  isAbstractType,
  isInputObjectType,
  isObjectType,
  printSchema,
} from 'graphql';
import { clientSchemaOfRooms } from '../../../src/app/serve.ts';

/** The fields of all types, as `Order.state`. */
const fields: [path: string, field: GraphQLField<unknown, unknown>][] = Object.values(clientSchemaOfRooms().getTypeMap())
  .filter(isObjectType)
  .filter(({ name }) => !name.startsWith('__') && !['Query', 'Mutation'].includes(name))
  .flatMap((type) => Object.values(type.getFields()).map((field): [string, typeof field] => [`${type.name}.${field.name}`, field]));

/** How a field is called whose values are usually words of a closed set. */
const OF_A_SET = /(type|state|status|kind|code|tag|method|level|mode|unit|scope|event|severity|provider|category)s?$/i;

/** Fields that are called so and stay texts (D-PLATFORM-124). */
const TEXTS = [
  ...['Address.postalCode', 'JobSummary.jobPhaseCode', 'Phase.code', 'SandboxMessage.kind', 'ComplianceIssue.documentType'],
  ...['Ticket.externalNetWeightUnit', 'AuditLogEntry.subjectType', 'M2MClient.scopes'],
  // A unit of measure, a currency, minutes or hours.
  ...['MetricDefinition.unit', 'MetricValue.unit'],
  ...['FileAttachment.category', 'SsoOption.idpIdentityProvider', 'SsoProvider.identityProvider'],
  ...['AccountingFile.mediaType', 'DirectUpload.contentType', 'FileAttachment.mimeType', 'FileAttachment.previewMimeType'],
  ...['Signature.imageMimeType', 'Ticket.imageMimeType', 'Ticket.previewMimeType'],
  // Types of trucks are called what their company calls them.
  'SettlementLineItem.equipmentTypes',
  // Accounting systems write what they like.
  ...['AccountingAddress.postalCode', 'AccountingAddress.state', 'AccountingItem.type'],
  // States of records of any type.
  ...['Change.previousState', 'Change.state'],
  ...['BulkItemError.code', 'ImportFailureCause.code', 'PlanConflict.code'],
];

test('a field whose values are words of a closed set is an enum, or is listed as a text', () => {
  const texts = fields.filter(([, { name, type }]) => OF_A_SET.test(name) && getNamedType(type).name === 'String');
  expect(texts.map(([path]) => path).sort()).toEqual([...TEXTS].sort());
});

test('what is called a connection is a page of a list', () => {
  const connections = Object.values(clientSchemaOfRooms().getTypeMap()).filter(({ name }) => name.endsWith('Connection'));
  expect(connections.length).toBeGreaterThan(80);
  const others = connections.filter((type) => !isObjectType(type) || !type.getFields().edges || !type.getFields().pageInfo);
  expect(others.map(({ name }) => name)).toEqual([]);
});

/** Filters of records that are called otherwise: logs and pages of their own, suggestions, and lists that ask for something narrower. */
const NARROW =
  /^(AgencyTicket|Audit|\w+Typeahead|\w+Facet|AccountCapacity|Activity|Approval|Change|DataHealth|Driver|ExternalTruck|Foreman|Invoicing\w+|LatestLocation|LikelyDuplicate|Metric|OwnJob|PreviousDay|RecordChange|TicketRollup)Filter$/;

test('the filter of a list of records has `or` and `not`', () => {
  const lists = Object.values(clientSchemaOfRooms().getQueryType()!.getFields()).filter(({ type }) =>
    getNamedType(type).name.endsWith('Connection'),
  );
  const filters = lists.flatMap(({ args }) => args.flatMap(({ name, type }) => (name === 'filter' ? [getNamedType(type)] : [])));
  const names = filters.flatMap((type) => (isInputObjectType(type) && !(type.getFields().or && type.getFields().not) ? [type.name] : []));
  expect([...new Set(names)].filter((name) => !NARROW.test(name))).toEqual([]);
  expect(filters.map(({ name }) => name)).toEqual(
    expect.arrayContaining(['BulkActionItemFilter', 'ImportBatchFilter', 'ImportedRecordFilter']),
  );
});

/** Words in backticks with a capital letter that are no types: parts of dates, and words that are sent over REST and in headers. */
const NO_TYPES = ['Authorization', 'DD', 'FuelSurcharge', 'MM', 'Other', 'RateForEach', 'RatePercentOfTotal', 'YY', 'YYYY'];

test('a description names only types that exist', () => {
  const schema = clientSchemaOfRooms();
  const words = [...printSchema(schema).matchAll(/"""([\s\S]*?)"""/g)].flatMap(([, text]) =>
    [...text!.matchAll(/`([A-Z][A-Za-z]+)`/g)].map((match) => match[1]!),
  );
  expect(words.length).toBeGreaterThan(300);
  expect([...new Set(words)].filter((word) => !schema.getType(word)).sort()).toEqual(NO_TYPES);
});

/** Mutations after which there is nothing to name: of the session itself, of somebody who may not exist, of positions that somebody else reads. */
const NOTHING = ['endImpersonation', 'forgotPassword', 'logOut', 'recordPosition', 'recordPositions', 'requestMagicLink'];

test('a mutation answers the record, or the id of what went, and not that it was done', () => {
  const mutations = Object.values(clientSchemaOfRooms().getMutationType()!.getFields());
  const done = mutations.filter(({ type }) => getNamedType(type).name === 'Boolean').map(({ name }) => name);
  expect(done.sort()).toEqual(NOTHING);
});

/** Inputs of measured values, which a telephone has as doubles (D-PLATFORM-123). */
const MEASURED = ['GpsLocationInput.accuracy', 'GpsLocationInput.bearingDegrees', 'GpsLocationInput.speedMetersPerSecond'];

test('numbers with a fraction are decimals', () => {
  const inputs = Object.values(clientSchemaOfRooms().getTypeMap()).filter((type) => isObjectType(type) || isInputObjectType(type));
  const floats = inputs.flatMap((type) =>
    Object.values(type.getFields())
      .filter(({ type: of }) => getNamedType(of as GraphQLOutputType).name === 'Float')
      .map((field) => `${type.name}.${field.name}`),
  );
  expect(floats.sort()).toEqual(MEASURED);
});

/** Ids with their object under another name. */
const OBJECTS: Readonly<Record<string, string>> = {
  'ComplianceIssue.documentTypeId': 'complianceDocumentType',
  'ImportBatch.createdById': 'createdBy',
  'Project.customerId': 'account',
};
/** Ids that stay alone (D-PLATFORM-125). */
const ALONE = [
  ...['ImportFailureCause.senderId', 'OtpSms.phoneId', 'User.idpMemberId', 'User.idpPhoneId', 'User.idpUserId'],
  // Their records are read by their job and their site.
  ...['GeofenceTrigger.fenceId', 'GeofenceTrigger.jobEventId', 'JobEta.siteId'],
  // Reviews are read below their load.
  'ApprovalAssignment.reviewId',
  // Rate cards are reached over masked relations only (test/money.test.ts).
  'AppliedRate.rateId',
  // An item of a bulk action may name a day that the caller may not see.
  'BulkActionItem.driverDayId',
  // A line sums up many of them, which are read as the settlement's.
  ...['SettledWork.jobId', 'SettledWork.loadId', 'SettledWork.orderId'],
  // A line that is not stored names the invoice that was asked for, and its loads.
  ...['GeneratedInvoiceLineItem.invoiceId', 'GeneratedInvoiceLineItem.loadId'],
  // A comparison names what it compares, which the reader has at hand.
  ...['InvoiceMatch.payableId', 'InvoiceMatch.receivedInvoiceId', 'InvoiceMatchLine.loadId'],
  // An invoice that is not stored names the job and what it would be for.
  'InvoicePreview.jobId',
  ...['PreviewedInvoice.customerAccountId', 'PreviewedInvoice.driverId', 'PreviewedInvoice.invoiceId', 'PreviewedInvoice.vendorAccountId'],
  'PreviewedLineItem.loadId',
  // Former ids of records that are no more.
  'RecordMerge.formerIds',
  // A delivery names the record and its company, of whatever type, and an event is no record.
  ...['WebhookDelivery.eventId', 'WebhookDelivery.sourceCompanyId', 'WebhookDelivery.subjectId'],
];

test('next to each id of a record is the record, or the id is listed as one that stays alone', () => {
  const known = new Map(fields);
  const isRecord = (path: string) => {
    const type = known.get(path)?.type;
    return type !== undefined && (isObjectType(getNamedType(type)) || isAbstractType(getNamedType(type)));
  };
  const ids = fields.filter(([, { name, type }]) => name !== 'id' && getNamedType(type).name === 'ID').map(([path]) => path);
  expect(ids.length).toBeGreaterThan(30);
  const bare = ids.filter((path) => {
    const [owner, id] = path.split('.') as [string, string];
    const name = id.replace(/Ids?$/, '');
    return ![OBJECTS[path] ?? name, `${name}s`, `${id}Record`].some((object) => isRecord(`${owner}.${object}`));
  });
  expect(bare.sort()).toEqual([...ALONE].sort());
});
