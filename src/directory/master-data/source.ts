import { stringEnum } from '../../platform/model/columns.ts';

/** Where a record came from. The contract names it after the first thing that had one. */
export const TicketSource = stringEnum('TicketSource', ['driver_app', 'web', 'api_integration', 'agent']);
export type TicketSource = keyof typeof TicketSource;
