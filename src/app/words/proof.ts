/** The words of tickets: what they are corrected by, reviewed for, read from and chased with. */
export const PROOF_FIELDS = `
acceptance: Whether the receiver took the material; null while nobody said it.
amendments: What was corrected after the approval, oldest first.
TicketAmendment.origin: From what the correction comes.
`;

export const PROOF_VALUES = `
delivered: The receiver took it.
correction: Somebody corrected it.
ocr_accept: Somebody accepted what was read from the picture.
write_back: A line of a bill was corrected.
`;
