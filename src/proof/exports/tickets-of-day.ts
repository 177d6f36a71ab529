import { type FieldNode, type OperationDefinitionNode, parse } from 'graphql';
import type { Context } from '../../platform/context.ts';
import type { CsvRow } from '../../platform/csv.ts';
import { DecimalScalar } from '../../platform/decimal.ts';
import { type Connection, SortDirection } from '../../platform/read/connection.ts';
import { MAX_PAGE } from '../../platform/read/lists.ts';
import { instantText } from '../../platform/scalars.ts';
import { Ticket } from '../ticket.entity.ts';

const TEXT = String;
const DECIMAL = (value: unknown) => String(DecimalScalar.serialize(value));

/** Columns of the sheet, called as REST calls the fields of a ticket, and how the planner's value becomes what REST answers. */
const COLUMNS: Readonly<Record<string, (value: unknown) => string>> = {
  id: TEXT,
  createdAt: instantText,
  state: TEXT,
  source: TEXT,
  ticketNumber: TEXT,
  serviceDate: instantText,
  printedAt: instantText,
  quantity: DECIMAL,
  unitOfMeasure: TEXT,
  materialName: TEXT,
  customerName: TEXT,
  projectName: TEXT,
  dispatchNumberName: TEXT,
  pickupSiteName: TEXT,
  dropoffSiteName: TEXT,
  vendorName: TEXT,
  driverName: TEXT,
  equipmentName: TEXT,
  friendlyJobId: TEXT,
  orderId: TEXT,
  jobId: TEXT,
  loadId: TEXT,
  externalTicketNumber: TEXT,
  externalTruckId: TEXT,
  externalVendorName: TEXT,
  externalMaterialMaterialName: TEXT,
  externalNetWeight: DECIMAL,
  externalNetWeightUnit: TEXT,
  flagged: TEXT,
  missingInfo: TEXT,
  notes: TEXT,
  imageUrl: TEXT,
};

export const HEAD: CsvRow = Object.keys(COLUMNS).map((name) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`));

const document = parse(`{ tickets { nodes { ${Object.keys(COLUMNS).join(' ')} } pageInfo { hasNextPage endCursor } } }`);
const asked = (document.definitions[0] as OperationDefinitionNode).selectionSet.selections as readonly FieldNode[];

/**
 * The tickets made on a day of a company, oldest first, page by page. It reads the same pages as the list of tickets of that day, so that a
 * caller who may read only some of them gets only these.
 * @throws Missing for a company that the caller does not see
 */
export async function* ticketsOfDay(ctx: Context, companyId: string, day: string): AsyncGenerator<CsvRow[]> {
  let after: string | null = null;
  do {
    const { nodes, pageInfo }: Connection<Ticket> = await ctx.read.page(
      Ticket,
      { fieldNodes: asked, fragments: {}, variableValues: {} },
      { companyId, filter: { fromDate: day, toDate: day }, sort: { createdAt: SortDirection.asc }, page: { limit: MAX_PAGE, after } },
    );
    yield nodes.map(rowOf);
    after = pageInfo.hasNextPage ? pageInfo.endCursor : null;
  } while (after);
}

const rowOf = (ticket: Ticket): CsvRow =>
  Object.entries(COLUMNS).map(([name, write]) => {
    const value = ticket[name as keyof Ticket] as unknown;
    return value === null || value === undefined ? '' : write(value);
  });
