/** The fields of records that may be empty, by which lists find what lacks them. */
export const VALUES_OF_FIELDS = `
OrderField.department: The department.
OrderField.dispatchNumber: The dispatch number.
OrderField.equipmentType: The kind of truck.
OrderField.externalId: The id in the system of whoever sent it.
OrderField.jobStartAt: When its jobs start, if not when it loads.
OrderField.requester: The person who asked for it.
TicketField.image: The picture.
TicketField.serviceDate: When the material was served.
TicketField.site: Where the ticket was written.
TicketField.ticketNumber: The number on the ticket.
`;
