/** The words of tickets: what they are corrected by, reviewed for, read from and chased with. */
export const PROOF_FIELDS = `
acceptance: Whether the receiver took the material; null while nobody said it.
amendments: The corrections after the approval, oldest first.
Load.continuesLoad: The load of another truck that this one brings to its end, since the work was handed over.
TicketVerification.ticketId: The ticket.
TicketBreak.reason: The reason for which the chain does not add up.
TicketAmendment.origin: From what the correction comes.
`;

export const PROOF_VALUES = `
AiReviewStatus.approved: The ticket says what the load says.
AiReviewStatus.duplicate: Another load has the same ticket.
AiReviewStatus.unreadable: The picture cannot be read.
delivered: The receiver took it.
correction: Somebody corrected it.
ocr_accept: Somebody accepted what was read from the picture.
history_missing: The ticket has no history.
link_changed: A link, or the one before it, was changed.
link_missing: A link was removed.
row_changed: The ticket does not say what its last link says.
write_back: A line of a bill was corrected.
TicketChaseState.answered: The tickets came.
TicketChaseState.given_up: Four reminders brought no ticket.
TicketChaseState.open: Somebody is reminded.
TicketChaseState.stopped: The order does not want it any more, or nobody is there to be reminded.
TicketChaseState.waived: Somebody said that the tickets will not come.
`;

export const PROOF_ARGUMENTS = `
ticketId: The ticket.
`;
