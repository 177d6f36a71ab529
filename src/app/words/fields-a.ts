/** The meanings of fields, in types and inputs alike: one word has one meaning. `Type.field` is for a field that means something else there. */
export const FIELDS_A_TO_D = `
_destroy: 1 removes the record of this \`id\`.
acceptedJobsCount: Jobs that were accepted.
account: The customer or vendor.
AccountExternalTruckIdentifier.account: The vendor whose truck it is.
accountId: The customer or vendor.
accountIds: Only of these customers or vendors.
accountType: Whether the rate is for customers or for vendors.
accountTypes: Whether it is a customer, a vendor or both.
accountingId: Its id in the company's accounting.
actionRequired: Whether a dispatcher has something to do here.
actionableJobsCount: Jobs for which a dispatcher has something to do.
addOnIds: The extra charges that belong to it.
addOnRateType: How the extra charge is counted.
addOnRateTypes: Only of these kinds of rates.
addOnTypes: The kinds of records to which the charge can be added.
addOns: The extra charges that belong to it.
additionalEquipment: Trailers and other equipment in addition to the truck.
additionalEquipmentIds: Trailers and other equipment in addition to the truck.
additionalGrossCapacities: The capacity in further units.
address: The postal address.
adjustedLoggingEndedAt: When work ended, as corrected by the office.
adjustedLoggingStartedAt: When work began, as corrected by the office.
adjustedEndedShiftAt: When the shift ended, as corrected by the office.
adjustedStartedShiftAt: When the shift began, as corrected by the office.
administrativeArea: The state or province.
after: The value after the change.
aiExtractedFullText: All text that was read from the picture.
aiProcessed: Whether the picture has been read.
aiReview: The newest automatic review of the load.
aiReviewLoads: Whether loads are reviewed automatically.
approvable: Whether it can be approved now.
approvableId: The id of what was approved.
approvableType: The kind of record that was approved.
approvalAction: Whether it was approved, or an approval was taken back.
approvalCategory: Whether it was approved in the field or for billing.
approvalStatus: The approvals that it has.
approvalType: As whom somebody approved it.
approved: Whether it is approved.
approvedAt: When it was approved for the first time.
approvedLoadsCount: Loads that are approved.
approvedPayables: The amount to be paid to vendors and drivers for approved work.
approvedReceivables: The amount to be received from customers for approved work.
approvedWorkTimeMinutes: The minutes of work that are approved.
approverId: The id of who approved it.
approverName: The name of the approver at that time.
approverType: The kind of who approved it.
arrivedDropoffAt: When the truck arrived at the drop-off.
arrivedPickupAt: When the truck arrived at the pickup.
assignedJobsCount: Jobs that have a driver or a vendor.
attempts: How often it was tried.
authMethods: The ways to sign in.
autoAcceptOrders: Whether orders from this customer are accepted at once.
autoAddOnAssignmentsCount: How many extra charges are added by themselves.
autoCompleteOrder: Whether an order completes itself with its last job.
batchId: The batch in which it was sent.
batchIndex: Its place in the batch, from 0.
before: The value before the change.
billableHours: The hours that are billed.
billableHoursOverridden: Whether the billed hours were set by hand.
billerApproved: Whether a biller has approved it.
billingAddress: Where bills are sent to.
billingApprovedAt: When it was approved for billing.
billingContact: The person to ask about bills.
billingStatus: Whether the company pays for the service.
blocking: The reasons that forbid a dispatch until they are settled.
break: Minutes of the break that is running.
breakTimeMinutes: Minutes of breaks.
bulkActionId: The bulk action.
buyPrice: The price at which the company buys the material, for one unit.
by: By which of its names the record was found.
byteSize: Bytes of the file.
calculatedLoadsCount: Loads that are expected by quantity and capacity.
capacity: How much fits.
category: The subject of the file.
changes: The changes that would be made.
chargeToAccount: The cost account of the customer that is charged.
chaseMissingTickets: Whether drivers are reminded of tickets that are missing.
checksum: The MD5 of the file, in base64.
circleCenter: The middle of a circle.
circleRadius: The radius of a circle, in meters.
clientId: The id under which the client is known.
code: A name of the problem or thing, the same in every language.
collaboratorApproved: Whether a collaborator has approved it.
collaboratorContact: Whom to ask about collaboration.
collaboratorIds: The collaborators.
collaborators: People who work on it together.
color: The color, as in CSS.
commissionAmount: The commission, as an amount.
commissionPercentage: The commission, in percent of the other rate.
commissionRateType: How the commission is counted.
commissionRateValue: The commission.
company: The company to which it belongs.
companyAdminApproved: Whether an administrator of the company has approved it.
companyId: The company to which it belongs.
companyIds: Only of these companies.
companyShare: The share by which it comes from another company.
companyShareable: The record that is shared.
companyShareableId: The id of the record that is shared.
companyShareableType: The kind of record that is shared.
companyType: The kind of business.
companyTypes: Only of these kinds of business.
completedLoadsCount: Loads that are completed.
complianceDocument: The newest document of the type.
complianceDocumentType: The type of document.
complianceDocumentTypeId: The type of document.
complianceOverride: Whether the work is assigned although documents are missing.
compliantId: The id of whom the document is about.
compliantType: The kind of whom the document is about.
confidence: How sure the review is, from 0 to 1.
conflicts: The reasons that speak against the plan.
connectedAccount: The account that the other company has of this one.
connectedCompany: The company behind the account, once both are connected.
contact: Whom to ask.
contacts: Whom to ask.
contentType: The media type of the file.
copyable: Whether it can be copied now.
costMargin: The part of the customer's rate that the vendor's leaves.
costRateValue: The cost of the charge, for one unit.
count: How many there are.
country: The country, as two letters (ISO 3166).
counts: How many records are in each state.
created: How many wait for their first attempt.
createdAt: When it was created.
createdBy: The person or program that created it.
createdById: The id of who sent it.
createdByName: The name of who sent it.
createdByType: The kind of who sent it.
currency: The currency of all amounts.
currentDriverStateEvent: Whether the driver is at work now, and since when.
customer: The amount that the customer pays.
customerAccount: The customer.
customerAccountId: The customer.
customerAccountIds: Only of these customers.
customerCost: The amount that the customer pays.
customerId: The customer.
customerJobAssignment: The link by which the company got the job.
customerName: The customer, as the ticket names it.
customerRate: The rate card of the customer.
customerRateId: The rate card of the customer.
customerRateType: How the customer's rate is counted.
customerRateValue: The customer's rate, for one unit.
cycleTimeMinutes: Minutes of one cycle, from pickup to pickup.
datagrid: Words that are searched for in everything that the list shows.
date: The day.
dateOfUse: The day on which it was used.
dateFormat: How the company writes dates.
day: The day.
dbaName: The name under which the company does business.
defaultAdditionalEquipment: The trailers that the driver usually has.
defaultDigitalTicketView: Whether drivers see digital tickets first.
defaultEquipment: The truck that the driver usually drives.
defaultEquipmentId: The truck that the driver usually drives.
defaultGeofenceDelaySeconds: Seconds in a geofence before an arrival counts, where an order says nothing.
defaultLat: The latitude at which maps begin.
defaultLon: The longitude at which maps begin.
deletable: Whether it can be deleted now.
delivered: How much was delivered.
deliveredLoadsCount: Loads that were delivered.
deliveredPerTruck: How much each truck delivers.
deliveredQuantities: The quantities that were delivered, for each unit and material.
department: The department.
departmentId: The department.
departmentIds: Only of these departments; \`none\` for those without one.
description: A description in words.
devicePermission: The permission that the telephone may be asked for.
devicePermissionState: Whether the telephone allows it.
directUpload: Where the bytes are sent to.
discardedAt: When it was discarded; null while it is in use.
dispatchGating: Whether nothing is dispatched without a valid document.
dispatchNumber: The dispatch number, by which a scale house knows the work.
dispatchNumberIds: Only of these dispatch numbers.
dispatchNumberName: The dispatch number, as the ticket names it.
dispatchable: Whether the receiver may plan with it.
displayName: The name that people see.
documentType: The name of the type of document.
documentTypeId: The type of document.
domains: E-mail domains whose people sign in here.
doneCount: How many are done.
driver: The driver.
AppliedRates.driver: The rate at which the driver is paid.
driverAcceptedAt: When the driver accepted.
driverApproved: Whether the driver has approved it.
driverCommissionRateType: How the driver's commission is counted.
driverCommissionRateValue: The driver's commission.
driverDeclinedAt: When the driver declined.
driverId: The driver.
driverIds: Only of these drivers.
driverName: The driver, as the ticket names them.
driverRate: The rate card of the driver.
driverRateId: The rate card of the driver.
driverRateType: How the driver's rate is counted.
driverRateValue: The driver's rate, for one unit.
driverRequireAllPermissions: Whether the driver's telephone must allow everything.
driverDayDate: By the day.
dropOffSiteLat: The latitude of the drop-off.
dropOffSiteLon: The longitude of the drop-off.
dropoffGeofenceEntryCount: How often the truck entered the drop-off.
dropoffOnsiteMinutes: Minutes that a truck is expected to stay at the drop-off.
dropoffSite: The drop-off.
dropoffSiteIds: Only with one of these drop-offs.
dropoffSiteName: The drop-off.
dropoffTimeMinutes: Minutes at the drop-off.
`;
