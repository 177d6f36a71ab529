import { expect, test } from '@jest/globals';
import { type GraphQLField, getNamedType, isObjectType } from 'graphql';
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
  ...['Address.postalCode', 'JobSummary.jobPhaseCode', 'Phase.code', 'ComplianceIssue.documentType'],
  ...['Ticket.externalNetWeightUnit', 'AuditLogEntry.subjectType', 'M2MClient.scopes'],
  ...['FileAttachment.category', 'SsoOption.idpIdentityProvider', 'SsoProvider.identityProvider'],
  ...['DirectUpload.contentType', 'FileAttachment.mimeType', 'FileAttachment.previewMimeType'],
  ...['Signature.imageMimeType', 'Ticket.imageMimeType', 'Ticket.previewMimeType'],
  ...['BulkItemError.code', 'ImportFailureCause.code', 'PlanConflict.code'],
];

test('a field whose values are words of a closed set is an enum, or is listed as a text', () => {
  const texts = fields.filter(([, { name, type }]) => OF_A_SET.test(name) && getNamedType(type).name === 'String');
  expect(texts.map(([path]) => path).sort()).toEqual([...TEXTS].sort());
});
