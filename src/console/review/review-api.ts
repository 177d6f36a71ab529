import { ask } from '../server/request.ts';

/** The picture of a ticket, if there is one. */
export interface Picture {
  imageUrl: string | null;
  imageMimeType: string | null;
  previewUrl: string | null;
}

/** The ticket of a load, as the page shows and amends it. */
export interface ReviewedTicket extends Picture {
  id: string;
  ticketNumber: string | null;
  state: string;
  stateEvents: string[];
  flagged: boolean;
  quantity: string | null;
  unitOfMeasure: string;
  grossQuantity: string | null;
  tareQuantity: string | null;
  serviceDate: string | null;
}

/** Whether a ticket lacks something without which it cannot be approved, or is found twice. */
export const isStuck = (ticket: ReviewedTicket | null): boolean =>
  ticket !== null && ticket.state !== 'approved' && !ticket.stateEvents.includes('approve');

/** A load that somebody should look at; the names are the schema's. */
export interface ReviewedLoad {
  id: string;
  loadId: string;
  state: string;
  approvable: boolean;
  doubted: boolean;
  loadedInferred: boolean;
  quantity: string | null;
  unitOfMeasure: string | null;
  material: { name: string } | null;
  loadSummary: { arrivedPickupAt: string | null; loadedAt: string | null; arrivedDropoffAt: string | null; loadCompletedAt: string | null };
  aiReview: { status: string; confidence: string | null; issues: string[] } | null;
  ticket: ReviewedTicket | null;
  job: {
    id: string;
    jobId: string;
    jobStartAt: string;
    order: { orderId: string; chaseMissingTickets: boolean | null; account: { name: string } | null };
    driver: { firstName: string; lastName: string } | null;
    equipment: { name: string } | null;
    ticketChases: { state: string; remindersSent: number; askedAt: string | null }[];
  };
}

/** A driver's day that nobody has approved. */
export interface ReviewedDay {
  id: string;
  driverDayId: string;
  driverDayDate: string;
  driver: { firstName: string; lastName: string };
  exceptions: string[];
  editable: boolean;
  approvable: boolean;
  startedShiftAt: string | null;
  endedShiftAt: string | null;
  adjustedStartedShiftAt: string | null;
  adjustedEndedShiftAt: string | null;
  shiftAdjustmentMinutes: number;
  shiftAdjustmentType: string | null;
  totalOnDutyMinutes: number | null;
  totalBreakMinutes: number | null;
  totalShiftMinutes: number | null;
  payableMinutes: number | null;
  jobsCount: number;
  loadsCount: number;
  ticketsCount: number;
}

export interface Found<T> {
  items: T[];
  next: string | null;
}

const LOAD = `id loadId state approvable doubted loadedInferred quantity unitOfMeasure material { name }
  loadSummary { arrivedPickupAt loadedAt arrivedDropoffAt loadCompletedAt } aiReview { status confidence issues }
  ticket { id ticketNumber state stateEvents flagged quantity unitOfMeasure grossQuantity tareQuantity serviceDate imageUrl imageMimeType previewUrl }
  job { id jobId jobStartAt order { orderId chaseMissingTickets account { name } } driver { firstName lastName } equipment { name }
    ticketChases { state remindersSent askedAt } }`;
const DAY = `id driverDayId driverDayDate driver { firstName lastName } exceptions editable approvable startedShiftAt endedShiftAt adjustedStartedShiftAt
  adjustedEndedShiftAt shiftAdjustmentMinutes shiftAdjustmentType totalOnDutyMinutes totalBreakMinutes totalShiftMinutes payableMinutes jobsCount loadsCount
  ticketsCount`;

interface Connection<T> {
  nodes: T[];
  pageInfo: { hasNextPage: boolean; endCursor: string | null };
}
const found = <T>({ nodes, pageInfo }: Connection<T>): Found<T> => ({
  items: nodes,
  next: pageInfo.hasNextPage ? pageInfo.endCursor : null,
});
const variables = (company: string, more: object) => ({ ...more, company: company || null });

/** Returns loads that somebody should look at, the oldest first. @param after cursor of the page before */
export async function readLoads(after: string, company: string): Promise<Found<ReviewedLoad>> {
  const { loads } = await ask<{ loads: Connection<ReviewedLoad> }>(
    `query($company: ID, $after: String) {
      loads(first: 25, after: $after, companyId: $company, filter: { needsReview: true }, sort: { createdAt: asc }) {
        nodes { ${LOAD} } pageInfo { hasNextPage endCursor } } }`,
    variables(company, { after: after || null }),
  );
  return found(loads);
}

/** Returns days that nobody has approved, the oldest first. @param after cursor of the page before */
export async function readDays(after: string, company: string): Promise<Found<ReviewedDay>> {
  const { driverDays } = await ask<{ driverDays: Connection<ReviewedDay> }>(
    `query($company: ID, $after: String) {
      driverDays(first: 25, after: $after, companyId: $company, filter: { needsReview: true }, sort: { driverDayDate: asc }) {
        nodes { ${DAY} } pageInfo { hasNextPage endCursor } } }`,
    variables(company, { after: after || null }),
  );
  return found(driverDays);
}

/** Returns a load as it is now. */
export const readLoad = async (id: string, company: string): Promise<ReviewedLoad> =>
  (
    await ask<{ load: ReviewedLoad }>(
      `query($id: ID!, $company: ID) { load(id: $id, companyId: $company) { ${LOAD} } }`,
      variables(company, { id }),
    )
  ).load;

/** Returns a day as it is now. */
export const readDay = async (id: string, company: string): Promise<ReviewedDay> =>
  (
    await ask<{ driverDay: ReviewedDay }>(
      `query($id: ID!, $company: ID) { driverDay(id: $id, companyId: $company) { ${DAY} } }`,
      variables(company, { id }),
    )
  ).driverDay;

const onOne =
  (operation: string, selection: string) =>
  async (id: string, company: string): Promise<unknown> =>
    ask(`mutation($id: ID!, $company: ID) { ${operation}(id: $id, companyId: $company) { ${selection} } }`, variables(company, { id }));

export const approveTicket = onOne('approveTicket', 'id');
export const voidTicket = onOne('voidTicket', 'id');
export const approveLoad = onOne('approveLoad', 'id');
export const askForTickets = onOne('askForMissingTickets', 'id');

export const unapproveDay = onOne('unapproveDriverDay', 'id');

/** Approves a day. @returns the jobs that were left, because they are not finished */
export async function approveDay(id: string, company: string): Promise<string[]> {
  const { approveDriverDay } = await ask<{ approveDriverDay: { warnings: { job: { jobId: string } | null }[] } }>(
    'mutation($id: ID!, $company: ID) { approveDriverDay(id: $id, companyId: $company) { warnings { job { jobId } } } }',
    variables(company, { id }),
  );
  return approveDriverDay.warnings.flatMap(({ job }) => job?.jobId ?? []);
}

/** The fields of a ticket that a person corrects; an approved one takes a reason, too. */
export interface TicketChange {
  ticketNumber: string | null;
  quantity: string | null;
  unitOfMeasure: string;
  reason?: string;
}

export async function changeTicket({ id, state }: ReviewedTicket, change: TicketChange, company: string): Promise<void> {
  const [operation, input] = state === 'approved' ? ['amendTicket', 'AmendTicketInput'] : ['updateTicket', 'UpdateTicketInput'];
  await ask(
    `mutation($id: ID!, $company: ID, $input: ${input}!) { ${operation}(id: $id, companyId: $company, input: $input) { id } }`,
    variables(company, { id, input: change }),
  );
}

/** The times of a shift that a person corrects; null takes a correction back. */
export interface DayChange {
  adjustedStartedShiftAt: string | null;
  adjustedEndedShiftAt: string | null;
  shiftAdjustmentMinutes: number;
  shiftAdjustmentType: string | null;
}

export async function changeDay(id: string, input: DayChange, company: string): Promise<void> {
  await ask(
    'mutation($id: ID!, $company: ID, $input: UpdateDriverDayInput!) { updateDriverDay(id: $id, companyId: $company, input: $input) { id } }',
    variables(company, { id, input }),
  );
}
