/** The descriptions of types of src/billing. */
export const BILLING_TYPES = `
AccountingDelimiter: The character between two cells of a file.
AccountingFileFormat: The accounting system that imports a file, or a template of the company.
AccountingTracking: The work by which lines of a file are followed.
AccountingField: The possible contents of a column of a file for accounting.
AccountingTemplateColumnInput: A column of a file for accounting.
AccountingStatus: Whether a record of an accounting system is in use there.
IntegrationItemizableType: The possible counterparts here of an item of an accounting system.
IntegrationLedgerAccountType: The use of an account of a ledger.
AutoAddOnAssignment: An add-on that is charged by itself for the work of a record.
AutoAddOnAssignmentSourceType: The records from which an automatic add-on can come.
AddOnApplicableType: The records to which a charge can be applied.
AddOnCharge: An amount that is charged or paid in addition to the freight of a job or a driver day.
AddOnChargeChange: A charge that is added, changed or removed.
AddOnChargeWarning: Why a charge may not add up to what was meant.
AddOnRequestableType: The records for which a charge can be requested.
ExportError: Why a document is not in an accounting system.
FuelPrice: A price of fuel that holds from a day on.
FuelPriceIndex: A published series of fuel prices, such as the weekly diesel price of a region.
FuelSurchargeSchedule: A schedule of what is charged for fuel at which price of an index.
FuelSurchargeSchedulePrice: A row of a schedule: the surcharge from a price of fuel on, up to the price of the next row.
FuelSurchargeScheduleType: How the surcharges of a schedule are counted.
FuelSurchargeWarning: Why a fuel surcharge may not be what was meant.
Invoice: The price of a job for one side, in the books of one company: what a customer owes it, or what it owes a vendor or a driver.
WaitUnit: In what waiting is counted.
PercentageBase: Of what a percentage is taken.
TierMode: How rates that change with the quantity are applied.
RateTier: Another rate from a quantity of an order on.
ProjectWage: The wages that a project prescribes for an hour of a classification of work.
InvoiceWarning: The points that somebody should look at before an invoice is approved.
UnsettledReason: Why no settlement has an invoice.
MinimumPer: The unit of work to which the minimum of an hourly rate applies.
TimeBasis: Which time an hourly rate pays.
DriverPayBy: The measures by which a driver's pay by time is counted.
InvoiceBlocker: Why an invoice cannot be approved yet.
InvoiceLineItem: A line of an invoice: the freight or the material of a load, or the time of a job, at a rate.
InvoiceLineItemType: The subjects of lines of invoices.
InvoiceMatchResult: How a line that was sent compares with one's own.
InvoiceReason: Why there is an invoice.
InvoiceSide: The direction of a debt: from a customer, or to a vendor or driver.
InvoiceState: Where an invoice is on its way to being paid.
InvoiceStateEvent: The actions that are possible with an invoice.
Invoiceable: The work that an invoice is for.
InvoiceableType: The kind of work that is invoiced.
LineItemType: A subject of lines of invoices. Built in, the same for every company.
`;

/** The descriptions of their fields. */
export const BILLING_FIELDS = `
AddOnCharge.driverDay: The driver day for which it was requested.
AddOnCharge.totalAmount: Its sum; 0 while nobody knows what a percentage is taken of.
AutoAddOnAssignment.addOnId: The id of the add-on that is charged.
AutoAddOnAssignment.side: The side whose work it is charged for, and whose money it is.
AutoAddOnAssignment.sourceId: The id of what it comes from.
AutoAddOnAssignment.sourceType: The record that it comes from.
autoAddOnInstallmentsCount: How many settlements have charged it.
originalAutoAddOnAssignmentId: The id of the first of those that are one charge on several records; null for that one itself.
totalInstallments: After how many settlements it stops; 0 means never.
addOn: The add-on that is charged; null for a charge of its own.
addOnApplicableId: The id of the invoice or settlement to which it is applied; null for a request.
addOnApplicableType: The kind of record to which it is applied; null for a request.
addOnChargesCount: How many charges there are in addition to the lines.
addOnChargesTotalAmount: The sum of the charges in addition to the lines.
addOnRequestableId: The id of the job or driver day for which it was requested.
addOnRequestableType: The kind of record for which it was requested.
billSurcharge: Percent of the freight, or money for each unit, by the type of the schedule; negative for a credit.
billSurchargePercentage: The surcharge of a schedule by percentage; 0 in one by unit.
billingAdjustmentMinutes: Minutes that are paid in addition to those between the two times; negative for those that are not paid.
deliveredQuantity: The quantity that was delivered, in the unit of the rate, before minimum and increment.
dropoffSiteNames: The name of the last site where it is unloaded.
equipmentExternalIds: The sender's id of the truck.
equipmentTypeNames: The kind of the truck.
fuelPriceIndex: The index whose prices count.
fuelSurchargeSchedule: The schedule by which fuel is charged.
invoiceCategory: Only invoices of this category.
invoiceId: The invoice that it is, or that the line is on.
Invoice.driverDay: The day that is paid; null of the invoice of a job.
Invoice.driverRate: The rate card by which a driver is paid; null of what customers owe and of what vendors are paid.
invoiceLineItems: The lines of the invoice.
invoiceLineItemsTotalAmount: The sum of the lines.
invoiceableType: Only invoices for this kind of work.
jobJobIds: The number of the job.
lagWeeks: How many weeks older than the work the price is that counts.
lineItemType: The kind of charge.
materialNames: The name of the material.
orderOrderIds: The number of the order.
payEndTime: Until when is paid.
payStartTime: From when is paid.
pickupSite: The first site where it is loaded.
pickupSiteNames: The name of the first site where it is loaded.
price: The price of a unit of fuel.
projectNames: The name of the project.
rateTypes: Only invoices at these types of rates.
rebillPercentage: The percentage of a corrected bill; null means the same.
rebillRevenueRateValue: The rate of a corrected bill; null means the same.
rebillTotalAmount: The sum of the charge in a corrected bill; null outside of one.
side: Whether it is owed to the company or by it.
surchargeType: How the surcharges are counted.
taxDescription: The text that is printed next to the tax.
taxPretaxAmount: The total before tax; null without tax.
taxTotalAmount: The tax; null without tax.
ticketsCount: How many tickets the job has; voided ones are not counted.
totalAmount: The amount, rounded to cents.
totalLoadsCount: How many loads are paid, each counted once. What corrects another invoice is for no load anew.
`;

export const BILLING_ARGUMENTS = `
jobAssignmentId: The link of a vendor chain.
rateId: The rate card.
siteRateScheduleId: The schedule of rates.
addOnCharges: The charges: those with an id are changed or removed, the others added.
fuelPriceIndexId: The index that it belongs to.
fuelSurchargeScheduleId: The schedule that it belongs to.
invoiceId: The invoice that it belongs to.
`;

export const BILLING_VALUES = `
AccountingStatus.Active: It is in use.
AccountingStatus.Archived: It is no longer used, or no longer in the system.
AccountingStatus.Inactive: It is not used at present.
AccountingStatus.Pending: It is not used yet.
AccountingStatus.Unknown: The system says something else.
IntegrationItemizableType.AddOn: An add-on.
IntegrationItemizableType.LineItemType: A type of line item.
IntegrationItemizableType.Service: A service.
IntegrationLedgerAccountType.AccountsPayable: Debts of the company are posted to it.
IntegrationLedgerAccountType.AccountsReceivable: Debts of others to the company are posted to it.
LinkedAccountStatus.invalid: The system refused the credentials, or could not be read at all.
LinkedAccountStatus.linked: Its lists were read.
LinkedAccountStatus.pending: Its lists were not read yet.
LinkedAccountStatus.unlinked: Somebody unlinked it; its records and mappings are kept.
AutoAddOnAssignmentSourceType.Settlement: A settlement.
AddOnApplicableType.Invoice: The priced record of one job or driver day.
AddOnApplicableType.Settlement: The invoices that are sent and paid together.
AddOnChargeWarning.total_not_known: It is a percentage or fuel surcharge that is applied to nothing yet, so it has no total.
AddOnChargeWarning.zero_quantity: Its quantity is 0, so it adds up to nothing.
AddOnRequestableType.DriverDay: A driver day.
AddOnRequestableType.Job: A job.
FuelSurchargeScheduleType.per_unit: Money for each hour, load, ton or other unit that is billed.
FuelSurchargeScheduleType.percentage: Percent of the freight.
FuelSurchargeWarning.below_schedule: Fuel is cheaper than in the first row, so nothing is charged.
FuelSurchargeWarning.fuel_price_missing: The index has no price by that day, so the surcharge is not known.
ExportError.document_refused: The system does not take it; what it says is quoted.
ExportError.credentials_refused: The system does not accept the credentials of the link.
ExportError.not_answered: The system did not answer, or not as it should.
ExportError.not_exportable: It is not approved any more, or a settlement has it.
ExportError.not_linked: The system is not linked any more.
ExportError.not_mapped: Nobody there is mapped to the customer or vendor.
ExportError.pay_of_driver: The pay of drivers is not sent.
ExportError.went_wrong_here: Something went wrong on our side.
FuelSurchargeWarning.fuel_price_stale: The price is more than ten days old.
FuelSurchargeWarning.schedule_empty: The schedule has no rows, so the surcharge is not known.
InvoiceBlocker.commission_without_receivable: The commission has no receivable of which it would be a part.
DriverPayBy.driver_day: By the shift of a day.
DriverPayBy.job: By each job.
InvoiceBlocker.day_not_finished: Another job of its driver that is paid with it on that day is not finished.
InvoiceBlocker.ticket_incomplete: The ticket of a load by whose quantity it is paid has none.
InvoiceBlocker.ticket_conflict: The ticket of a load contradicts what was reported, weighed, billed or seen, and the company wants that settled first.
InvoiceBlocker.ticket_missing: The order wants the ticket of each load, and one is missing.
InvoiceBlocker.missing_time: Nobody knows the time that its rate pays.
FuelDate.job_start: The date of the start of the job.
FuelDate.order: The date of the order.
WaitUnit.hour: In hours.
PercentageBase.lines: Of the lines.
PercentageBase.lines_and_fuel: Of the lines and the fuel surcharges.
TierMode.slab: Each part of what is hauled has the rate of its own band.
TierMode.volume: Everything has the rate of the band that is reached.
RateSource.prevailing_wage: The wage that the project prescribes.
InvoiceBlocker.po_missing: The customer wants the number of a purchase order, and its order has none, or another kind of number.
UnsettledReason.not_approved: Nobody has approved it yet.
UnsettledReason.period_closed: It counts in a closed period, and is settled by whoever says that the settlement counts in the open one.
UnsettledReason.exported: Somebody has entered it in accounting by itself.
UnsettledReason.customer_paid: The customer reports that it has paid it by itself.
UnsettledReason.to_settle: It is approved, and settled by the next settlement.
InvoiceWarning.below_schedule: Fuel was cheaper than in the first row of its schedule, so nothing was charged for it.
InvoiceWarning.fuel_price_stale: The price of fuel by which it charges is more than ten days old.
InvoiceWarning.ticket_conflict: The ticket of a load contradicts what was reported, weighed, billed or seen, and nobody said that it is right.
InvoiceWarning.thin_margin: Little is left of it after what the work costs.
WaitUnit.minute: In minutes.
MinimumPer.day: For all jobs of a driver and date that one side pays at this rate.
MinimumPer.job: For each job.
TimeBasis.job: The time that is logged on the job.
TimeBasis.portal: The time between leaving the home base and coming back to it, shared by the jobs of the day.
TimeBasis.shift: The paid time of the shift, shared by the jobs of the day.
TimeBasis.site: The time from the first entry at a pickup to the last exit at a drop-off.
InvoiceBlocker.driver_day_not_approved: The driver's company has not approved the day for billing.
InvoiceBlocker.shift_not_ended: The shift of the day is not over.
InvoiceBlocker.fuel_price_missing: The price of fuel of the day is not known.
InvoiceBlocker.job_not_approved: The books' company has not approved the job for billing.
InvoiceBlocker.job_not_finished: The job is not finished.
InvoiceBlocker.load_not_approved: The books' company has not approved a load for billing.
InvoiceBlocker.missing_quantity: A load has no quantity.
InvoiceBlocker.no_counterparty: Nobody is named who pays or is paid.
InvoiceBlocker.no_rate: No rate applies.
InvoiceBlocker.open_load: A load was begun, or has a ticket although the job is over, and is neither completed nor canceled.
InvoiceBlocker.stale_edited_line: The work of an edited line has changed since.
InvoiceBlocker.unit_mismatch: The unit of a load cannot be converted to that of the rate.
InvoiceCategoryFilter.account_receivables: Owed by customers that do not use the product.
InvoiceCategoryFilter.connection_receivables: Owed by connected companies.
InvoiceCategoryFilter.internal_payables: Owed to the company's own drivers, and to companies of its family.
InvoiceCategoryFilter.owner_operator_payables: Owed to connected owner-operators.
InvoiceCategoryFilter.payables: Owed by the company.
InvoiceCategoryFilter.receivables: Owed to the company.
InvoiceCategoryFilter.vendor_payables: Owed to vendors.
InvoiceLineItemType.FreightRateLineItem: The freight of a load.
InvoiceLineItemType.InvoiceLineItem: The time of a job, or all of it.
InvoiceLineItemType.MaterialRateLineItem: The material of a load.
InvoiceMatchResult.equal: Both say the same.
InvoiceMatchResult.only_ours: Your payable has a line that was not sent.
InvoiceMatchResult.only_theirs: A line was sent that your payable does not have.
InvoiceMatchResult.price_differs: The quantity is the same, and the rate or the amount is not.
InvoiceMatchResult.quantity_differs: The quantities are not the same.
InvoiceSide.payable: The company owes it to a vendor or a driver.
InvoiceSide.receivable: A customer owes it to the company.
InvoiceReason.regular: For the work.
InvoiceReason.partial: For loads that were taken off another one.
InvoiceReason.late_ticket: For work that came after it was billed, and what else differs.
InvoiceReason.correction: For what differs from what was billed.
InvoiceState.customer_approved: The customer approved it.
InvoiceState.customer_paid: The customer says that it is paid.
InvoiceState.customer_pending: It was sent to the customer.
InvoiceState.exported: It is in the accounting.
InvoiceStateEvent.customer_pay: The customer says that it is paid.
InvoiceStateEvent.export: Hands it to the accounting.
InvoiceStateEvent.send_invoice: Sends it to the customer.
AccountingDelimiter.comma: A comma.
AccountingDelimiter.semicolon: A semicolon.
AccountingDelimiter.tab: A tab.
AccountingFileFormat.quickbooks_desktop: QuickBooks Desktop: IIF.
AccountingFileFormat.quickbooks_online: QuickBooks Online: CSV.
AccountingFileFormat.sage_100_contractor: Sage 100 Contractor: CSV.
AccountingFileFormat.xero: Xero: CSV.
AccountingFileFormat.template: The columns of a template.
AccountingTracking.project: The project.
AccountingTracking.order: The order.
AccountingTracking.service: The service.
AccountingTracking.material: The material.
AccountingField.account: The account to which the line is posted.
AccountingField.amount: The amount of the line.
AccountingField.currency: The currency of the settlement.
AccountingField.date: The date of the settlement.
AccountingField.description: The subject of the line.
AccountingField.document_type: The kind of document that the settlement is for the accounting: \`invoice\`, \`credit\`, \`bill\` or \`bill_credit\`.
AccountingField.due_date: Until when the settlement is to be paid.
AccountingField.item: The accounting's name of the item that is charged.
AccountingField.line_number: The place of the line in its settlement, from 1.
AccountingField.number: The number of the settlement.
AccountingField.party: The accounting's name of the customer, vendor or driver.
AccountingField.party_accounting_id: The id of the customer or vendor in the accounting.
AccountingField.party_email: The address to which the customer or vendor is billed.
AccountingField.party_external_id: The id of the customer, vendor or driver in another system.
AccountingField.quantity: The quantity of the line.
AccountingField.rate: The rate of the line.
AccountingField.service_date: The first day of the work of the line.
AccountingField.total: The total of the settlement.
`;
