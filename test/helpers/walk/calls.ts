import { type GraphQLField, getNamedType, isLeafType, isNonNullType, isObjectType } from 'graphql';
import type { RestOperation } from '../../../src/platform/http/rest/operation.ts';
import type { Tenant } from '../tenant.ts';
import type { Expectation } from './expectation.ts';
import type { Ids } from './ids.ts';
import { camel, snake, wired } from './names.ts';
import { sampleInput } from './samples.ts';

/** Returns the calls of a REST operation, including the company-scoped one. */
export function restCalls(operation: RestOperation, expected: Expectation, ids: Ids, tenant: Tenant) {
  const bodies = operation.variables.filter((variable) => variable.place === 'body');
  const sampleOf = (body: (typeof bodies)[number]) =>
    idOf(camel(body.wire), expected, ids) ?? wired(sampleInput(body.type, tenant, ids, body.wire, operation.rootField), snake);
  const whole = bodies.find(({ wire }) => wire === '');
  const sample = whole ? sampleOf(whole) : Object.fromEntries(bodies.map((body) => [body.wire, sampleOf(body)]));
  const requires = (name: string) =>
    operation.variables.some(({ place, wire, type }) => place === 'query' && wire === name && isNonNullType(type));
  // The only required ones.
  const query = requires('date')
    ? '?date=2026-12-01'
    : requires('measures')
      ? '?measures=loads'
      : requires('record_type')
        ? '?record_type=Account'
        : '';
  return [operation.path, operation.scopedPath].flatMap((path) =>
    path === undefined
      ? []
      : [
          {
            method: operation.method,
            path: `${path}${query}`.replace(
              /\{([a-z-]+)\}/g,
              (_, param: string) =>
                (param === 'waypoint-type'
                  ? 'pickup'
                  : param === 'date'
                    ? '2026-12-01'
                    : param === 'id'
                      ? documentOf(path, expected, ids)
                      : undefined) ??
                idOf(camel(param), expected, ids) ??
                ids[expected.of ?? 'order'],
            ),
            named: path.includes('{'),
            body: bodies.length > 0 ? sample : undefined,
          },
        ],
  );
}

const BULK_ARGUMENTS = ['jobIds', 'driverAssignments', 'vendorAssignments', 'data', 'date'];

/** Returns a GraphQL operation on a root field, with every id it takes. @param more further arguments */
export function graphqlCall(
  kind: 'query' | 'mutation',
  field: GraphQLField<unknown, unknown>,
  expected: Expectation,
  ids: Ids,
  tenant: Tenant,
  more: Record<string, unknown> = {},
) {
  const variables: Record<string, unknown> = {};
  for (const argument of field.args) {
    const id = idOf(argument.name, expected, ids);
    if (field.name === 'nodes') variables.ids = [ids.order];
    else if (argument.name === 'phaseId') variables.phaseId = null;
    else if (argument.name === 'waypointType') variables.waypointType = 'pickup';
    else if (argument.name === 'type' && /^remove(DriverDay|Job|Load)Signature$/.test(field.name)) variables.type = 'DriverSignature';
    else if (argument.name === 'compliantType') variables.compliantType = 'User';
    else if (argument.name === 'accountType') variables.accountType = 'customer';
    else if (argument.name === 'channel') variables.channel = 'email';
    else if (argument.name === 'measures') variables.measures = ['loads'];
    else if (argument.name === 'recordType') variables.recordType = 'Account';
    else if (argument.name === 'state' && isNonNullType(argument.type)) variables.state = 'off_duty';
    else if (argument.name === 'type' && field.name === 'recordShares') variables.type = 'User';
    else if (argument.name === 'parentCompanyId') variables.parentCompanyId = tenant.company.id;
    else if (id !== undefined) variables[argument.name] = id;
    else if (
      [
        'input',
        'additionalGeofences',
        'orders',
        'projects',
        'tickets',
        'csv',
        'payload',
        ...BULK_ARGUMENTS,
        'resourceUsageLogs',
        'addOnCharges',
      ].includes(argument.name) ||
      (argument.name === 'filter' && kind === 'mutation')
    )
      variables[argument.name] = sampleInput(argument.type, tenant, ids, argument.name, field.name);
  }
  Object.assign(variables, more);
  const given = field.args.filter((argument) => variables[argument.name] !== undefined);
  const declared = given.map((argument) => `$${argument.name}: ${argument.type}`).join(', ');
  const passed = given.map((argument) => `${argument.name}: $${argument.name}`).join(', ');
  const type = getNamedType(field.type);
  const fields = isObjectType(type) ? type.getFields() : undefined;
  const inside = fields?.nodes ? '{ nodes { __typename } }' : fields?.id ? '{ id }' : '{ __typename }';
  const selection = isLeafType(type) ? '' : inside;
  const head = declared ? `${kind}(${declared})` : kind;
  return {
    query: `${head} { ${field.name}${passed ? `(${passed})` : ''} ${selection} }`,
    variables,
    named: given.some((a) => /^id$|Id$/.test(a.name)),
  };
}

/** Returns the id for an argument or a path parameter: `id` is the field's own record, `jobId` a job. */
const idOf = (name: string, expected: Expectation, ids: Ids): string | undefined =>
  name === 'id' ||
  (name === 'jobId' && /^(finished|invoiced)Job$/.test(expected.of ?? '')) ||
  (name === 'driverDayId' && expected.of === 'paidDay') ||
  (name === 'userId' && /^managed/.test(expected.of ?? ''))
    ? expected.of && ids[expected.of]
    : name.endsWith('Id')
      ? ids[name.slice(0, -2) as keyof Ids]
      : undefined;

/** Documents of vendors and trucks have their own paths. */
const documentOf = (path: string, { of: kind }: Expectation, ids: Ids): string | undefined =>
  kind !== 'complianceDocument'
    ? undefined
    : path.includes('/accounts/')
      ? ids.accountPaper
      : path.includes('/equipment/')
        ? ids.truckPaper
        : undefined;
