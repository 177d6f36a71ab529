import { stringEnum } from '../platform/model/columns.ts';
import { defineMachine } from '../platform/state/machine.ts';

export const TicketState = stringEnum('TicketState', ['new', 'pending', 'approved', 'voided']);
export type TicketState = keyof typeof TicketState;
export const TicketStateEvent = stringEnum('TicketStateEvent', ['approve', 'void']);
export type TicketStateEvent = keyof typeof TicketStateEvent;

export const TicketAcceptance = stringEnum('TicketAcceptance', ['delivered', 'rejected'], 'Whether the receiver took the material.');
export type TicketAcceptance = keyof typeof TicketAcceptance;

/** Facts around a ticket that the guards use; an absent fact forbids nothing. */
export interface TicketFacts {
  /** Which of job, quantity, number and image are missing, by the names of the fields. */
  missing: readonly string[];
  /** The load's review found the ticket twice. */
  duplicate: boolean;
}

/** DOMAIN 1.5. `link` and `unlink` follow from changes of a ticket and are no events of the public enum. */
export const ticketMachine = defineMachine({
  model: 'Ticket',
  states: Object.values(TicketState),
  initial: ['new', 'pending'],
  terminal: ['voided'],
  internal: ['link', 'unlink'],
  happened: {
    approve: 'approved',
    void: 'voided',
    link: 'linked',
    unlink: 'unlinked',
  },
  events: {
    approve: [
      {
        from: ['new', 'pending'],
        to: 'approved',
        guard: (_ticket: { state: string }, facts: Partial<TicketFacts>) => !facts.missing?.length && !facts.duplicate,
        refusal: (_ticket, { missing = [], duplicate }) => [
          ...missing.map((field) => ({ field, key: 'needed_for_approval' })),
          ...(duplicate ? [{ field: 'state', key: 'ticket_found_twice' }] : []),
        ],
      },
    ],
    void: [{ from: ['new', 'pending', 'approved'], to: 'voided' }],
    link: [{ from: ['new'], to: 'pending' }],
    unlink: [{ from: ['pending'], to: 'new' }],
  },
});
