/** The descriptions of types of src/billing/settlements. */
export const SETTLEMENT_TYPES = `
IntegrationExportState: How far something is on its way to an accounting system.
IntegrationSettlementExport: A settlement, or an invoice by itself, on its way to an accounting system.
BulkSettlementInput: The period, and the customers, vendors and drivers, for which settlements are created.
SettledParty: With whom a company settles.
LoadMatch: The quantities and amounts of a load on one side of the books, by the ticket, the report, the invoice and the bill of a vendor.
LoadMatchResult: Whether they say the same.
LoadVariance: The pairs of values of a load that differ.
VendorBill: The bill of a vendor, as it was sent on paper or as a file.
CreateVendorBillInput: A bill of a vendor, which is compared load by load.
WaiveLoadMatchInput: Why what differs is right.
LoadMatchFilter: Which loads are listed.
NoteInvoiceExportInput: Whether accounting has an invoice that was sent to it and not answered.
BillingProfile: How an account wants to be billed, or is paid.
BillingCadence: How often an account is settled.
BillingPeriod: Days of which the books of a company are closed, or were and are open again.
BillingPeriodState: Whether what counts in a period can be changed.
NextBillingPeriodState: How far the days are that are closed next.
CloseBillingPeriodInput: Up to which day the books are closed.
ReopenBillingPeriodInput: Why a period is opened again.
Settlement: Approved invoices of one customer, vendor or driver that are sent, paid and exported together.
SettlementEmailDelivery: A settlement that is sent to an address as a PDF.
SettlementEmailDeliveryState: The outcome of a mail.
SettlementData: The subject of a settlement, in short.
SettlementLineItemGrouping: By what lines of a settlement can be grouped.
SettlementLineItemType: The subjects of a line of a settlement.
SettlementState: Where a settlement is on its way to being paid.
SettlementStateEvent: The actions that are possible with a settlement.
`;

/** The descriptions of their fields. */
export const SETTLEMENT_FIELDS = `
apSettlementId: Its number, as that of a settlement that the company pays.
arSettlementId: Its number, as that of a settlement that a customer pays.
data: The orders and quantities, in short.
equipmentNames: The names of the trucks.
equipmentTypes: The types of the trucks.
UpdateBillingProfileInput.poRequired: Whether invoices need the number of a purchase order.
UpdateBillingProfileInput.poPattern: How that number is written.
UpdateBillingProfileInput.cadence: How often it is settled.
UpdateBillingProfileInput.oneJobPerSettlement: Whether each job gets a settlement of its own.
UpdateBillingProfileInput.termsDays: Days after which a settlement is due.
UpdateBillingProfileInput.taxExemptNumber: The number by which it is exempt from tax.
UpdateBillingProfileInput.fuelLagWeeks: Weeks by which the price of fuel is older than the work.
UpdateBillingProfileInput.ticketNumberPerLine: Whether each load gets a line with the number of its ticket.
UpdateBillingProfileInput.attachments: Whether pictures of tickets are printed behind settlements.
UpdateBillingProfileInput.breaksPaid: Whether breaks count where time is paid.
exportedAt: When it was handed to the accounting.
LoadMatch.result: Whether everything says the same of the load.
LoadMatchFilter.results: Only those of which this is the result.
LoadMatchCondition.results: Only those of which this is the result.
friendlyLoadId: The number of the load.
friendlyOrderIds: The numbers of its orders.
includeLoadsInPdf: Whether the document lists the loads.
lineItems: The lines of the group.
loadOrdinality: Which load of its job it is.
materials: The names of the materials.
originalSettlement: The voided settlement that it replaces.
quantities: How much was delivered, by unit.
rebillAddOnChargesTotalAmount: The amount of its charges when it is billed anew; null otherwise.
rebillInvoicesTaxTotalAmount: The tax of its invoices when it is billed anew; null otherwise.
Settlement.rebillTotalAmount: Its amount when it is billed anew; null otherwise.
SettlementEmailDelivery.email: The address to which it is sent.
SettlementEmailDelivery.senderUser: The person who sends it; null if a program does.
SettlementEmailDelivery.settlement: The settlement that is sent.
SettlementEmailDelivery.settlementId: The id of the settlement.
IntegrationSettlementExport.exportedAt: When the system took it.
IntegrationSettlementExport.exportedBy: The person or program that asked for it.
IntegrationSettlementExport.integrationInvoiceId: Its name in the accounting system.
IntegrationSettlementExport.lastError: Why the system did not take it last; null if it did.
IntegrationSettlementExport.state: How far it is.
settlementConfig: How the settlements are printed.
settlementId: Its number.
settlementLineItemGroupings: By what its lines are grouped.
settlementLineItemType: The purpose of the line.
subtotal: The sum of the lines.
ticketNumbers: The numbers of the tickets.
truckExternalIds: The ids of the trucks in other systems.
voidReason: Why it was voided.
voidedAt: When it was voided.
`;

export const SETTLEMENT_ARGUMENTS = `
settlementId: The settlement that it belongs to.
`;

export const SETTLEMENT_VALUES = `
LoadMatchResult.matched: They say the same.
LoadMatchResult.tolerated: They differ by no more than is tolerated.
LoadMatchResult.variance: They differ.
LoadMatchResult.waived: They differ, and somebody said that it is right.
LoadVariance.qty_ticket_vs_load: The ticket and what was reported before it; one percent is tolerated, and 0.05 at least, unless the company chose otherwise.
LoadVariance.qty_ticket_vs_invoice: The ticket and the quantity that is billed.
LoadVariance.qty_scale_vs_scale: The ticket and what a weigh point or the customer weighed; one percent is tolerated, unless the company chose otherwise.
LoadVariance.time_vs_gps: The hours that are billed and the minutes of positions, of which ten percent are tolerated; or the ticket says a time at which the truck was elsewhere.
LoadVariance.gps_absent: Positions are known for its time, and the truck came to none of the sites of its job.
LoadVariance.price_vs_order: The rate that is billed and the one that was agreed on.
LoadVariance.no_ticket: It is billed by the unit without a ticket.
LoadVariance.no_invoice: No line bills it.
LoadVariance.qty_bill_vs_ticket: The quantity of the vendor and that of the ticket.
LoadVariance.price_bill_vs_invoice: The rate of the vendor and that of the payable.
LoadVariance.amount_bill_vs_invoice: The amount of the vendor and that of the payable, at the same quantity and rate.
LoadVariance.date_bill_vs_load: The day that the vendor names and that of the work.
LoadVariance.no_load: A vendor bills it, and nobody knows it.
LoadVariance.twice_billed: A vendor bills it a second time, or two invoices of the company do.
BillingCadence.every_two_weeks: Every other week.
BillingCadence.monthly: Once a month.
BillingCadence.twice_a_month: Twice a month.
BillingCadence.weekly: Every week.
BillingPeriodState.closed: Everything that counts in it stays as it is.
BillingPeriodState.open: It was closed, and is open again.
NextBillingPeriodState.open: Its work is changed by everybody who may change work.
NextBillingPeriodState.review: Its last week is over, and reviewed: dispatchers and drivers change no work of it any more, and later those who bill do not either.
SettledParty.customers: The debts of customers.
SettledParty.drivers: The pay of drivers.
SettledParty.vendors: The pay of vendors.
SettlementLineItemGrouping.equipment_type: By the type of the truck.
SettlementLineItemGrouping.material: By the material.
SettlementLineItemGrouping.service: By the service of the order.
SettlementLineItemType.job: A job.
SettlementLineItemType.load: A load.
SettlementLineItemType.order: An order.
IntegrationExportState.exported: The system has it.
IntegrationExportState.failed: The system did not take it; it is tried again when somebody asks for it, or maps something else.
IntegrationExportState.not_exported: Nobody asked for it.
IntegrationExportState.pending: It is on its way, and tried again if the system is away.
SettlementEmailDeliveryState.delivered: The next mail server has taken it.
SettlementEmailDeliveryState.failed: It was refused, or could not be sent after five tries.
SettlementEmailDeliveryState.initiated: It is on its way.
SettlementState.approved: It is approved and stays as it is.
SettlementState.customer_approved: The other company approved it.
SettlementState.customer_paid: The other company says that it is paid.
SettlementState.customer_pending: It was sent to the other company.
SettlementState.paid: It is paid.
SettlementState.pending: It can be changed.
SettlementState.voided: It does not count any more; its invoices are free for another one.
SettlementStateEvent.approve: Approves it.
SettlementStateEvent.customer_pay: The other company says that it is paid.
SettlementStateEvent.pay: Notes that it is paid.
SettlementStateEvent.send_settlement: Sends it to the other company.
SettlementStateEvent.unapprove: Takes its approval back.
SettlementStateEvent.undo_pay: Takes back that it is paid.
SettlementStateEvent.void: Voids it.
`;
