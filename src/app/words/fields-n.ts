export const FIELDS_N_TO_Z = `
name: The name.
newJobRequest: Messages about requested jobs.
nextAttemptAt: When it is tried again.
noLocationAlert: A message when the telephone reports no position.
notes: Notes.
notificationSentAt: When somebody was notified that it expires.
objectChanges: The changes: each field with its value before and after.
occurredAt: When it happened.
JobEventSort.occurredAt: By the time at which it happened.
ocrNetQuantityTon: The net weight that was read from the picture, in tons.
ocrNetQuantityTonConfidence: How sure the reading of the weight is, from 0 to 1.
ocrProcessed: Whether the picture has been read.
ocrServiceDate: The date that was read from the picture.
ocrServiceDateRawStr: The date, as it is written in the picture.
ocrTicketNumber: The number that was read from the picture.
ocrTicketNumberConfidence: How sure the reading of the number is, from 0 to 1.
offlineMode: Whether the telephone had no connection.
order: The order.
JobFilter.order: Only jobs of orders that meet this.
onDuty: Minutes of the work that is running.
orderAccepted: Messages about accepted orders.
orderCanceled: Messages about canceled orders.
orderId: The order.
Order.orderId: The number of the order.
orderNotes: Notes that new orders get.
orderPendingRequest: Messages about orders that wait for an answer.
orderQuantity: How much is ordered.
orderRejected: Messages about rejected orders.
orderSummary: Counts and sums of the order.
orderUnitOfMeasure: The unit of the order's quantity.
orders: Orders, page by page.
ordinality: Its place on the route or in the job, from 0.
ownerType: For whom the rate is.
ownership: Whether the truck is one's own.
parentCompany: The company above it.
parentCompanyShareId: The share from which it was passed on.
password: The password.
passwordResetToken: The token of the mail.
pausedAt: When it was paused.
payload: The element as the sender wrote it.
pendingJobReminder: A reminder of jobs that wait for an answer.
percentage: The share, in percent.
phase: The section of the project with its cost code.
phaseId: The section of the project with its cost code.
phases: The sections of the project with their cost codes.
phone: The telephone number (E.164).
phoneId: The telephone to which a code was sent.
pickupGeofenceEntryCount: How often the truck entered the pickup.
pickupOnsiteMinutes: Minutes that a truck is expected to stay at the pickup.
pickupSiteIds: Only with one of these pickups.
pickupSiteLat: The latitude of the pickup.
pickupSiteLon: The longitude of the pickup.
pickupSiteName: The pickup.
pickupTimeMinutes: Minutes at the pickup.
pickupToDropOffDistanceMeters: Meters from the pickup to the drop-off.
pickupToDropOffTimeMinutes: Minutes from the pickup to the drop-off.
pickupToDropoffDistanceMeters: Meters from the pickup to the drop-off.
pickupToDropoffTimeMinutes: Minutes from the pickup to the drop-off.
placeId: The place's id at the geocoder.
platformCustomer: Whether the company pays for the service itself.
platformId: The id by which other companies find the company.
poJobNumber: The number of the customer's purchase order.
poJobNumbers: Only with one of these purchase orders.
pointer: Where it is in the payload (JSON pointer).
pollingIntervalSeconds: Seconds between two positions.
postalCode: The postal code.
preClampLoggingEndedAt: When work ended, before it was cut to what was plausible.
preferences: Which messages the person gets.
premise: The building or suite.
previewMimeType: The media type of the preview.
previewUrl: Where the preview is, a JPEG of at most 1,024 pixels. The URL opens it without a token for 15 to 30 minutes. Null until it is made, and where none can be.
primary: Whether it is the main one.
primaryContact: Whom to ask first.
printedAt: When the ticket was printed.
priority: Its place among the driver's jobs.
JobSort.priority: By the place among the driver's jobs.
processed: How many succeeded.
processedAt: When it was processed.
project: The project.
projectId: The project.
projectIds: Only of these projects.
projectMaterialTotals: How much of each material the project needs.
projectName: The project.
projects: The projects for which it is.
quantity: How much there is.
query: Words that are searched for in names and ids.
rate: The rate.
rateId: The rate card.
rateName: The name of the rate card.
rateOverride: Whether the receiver may set other rates.
rateType: How the rate is counted.
rateValue: The rate, for one unit.
reasoning: Why the review came to its result.
receivedAfter: Only what came at this moment or later.
receivedAt: When it came.
receivedBefore: Only what came before this moment.
receiverAccount: The account of the receiver.
receiverCompany: The company with which it is shared.
receiverCompanyId: The company with which it is shared.
recordCount: How many elements it has.
records: The report on each element.
recurringLoads: Whether loads are added as long as the job runs.
refreshToken: The token by which a new session is fetched.
rejectReason: Why it was rejected.
rejectedAt: When it was rejected.
rejectedBy: The person or program that rejected it.
requestId: The request that did it.
requestedEquipmentTypeAccountingId: The accounting id of the requested kind of truck.
requestedEquipmentTypeName: The requested kind of truck.
requestedLoadsCount: How many loads are requested.
requestedQuantityType: Whether trucks, loads or units are requested.
requester: The person who asked for the order.
requesterId: The person who asked for the order.
requesterIds: Only requested by these people.
requiredEquipment: Whether trucks need the document.
requiredInternalDrivers: Whether the company's own drivers need the document.
requiredSharedDrivers: Whether shared drivers need the document.
requiredVendors: Whether vendors need the document.
resource: The record to which the person is limited.
resourceUsageLoggableId: The id of what was used.
resourceUsageLoggableType: The kind of what was used.
resourceType: The kind of record to which the person is limited.
resubmittedFrom: The record of which this is a corrected copy.
resultId: The id of the record that it became.
revenueCostRateType: How the revenue of the charge is counted.
revenueRateValue: The revenue of the charge, for one unit.
roles: The roles that are built in.
routable: Whether routes can be planned to it.
routingGeofence: The area by which arrivals are noticed.
saasBillingPlan: The plan of the service.
salesContact: Whom to ask instead of a salesperson.
salespeople: The salespeople.
salespersonIds: The salespeople.
samlEntityId: The provider's own entity id.
samlEntryPoint: Where browsers are sent.
scheduleOn: Whether it is planned with.
search: Which records are searched for.
sellPrice: The price at which the company sells the material, for one unit.
sendInvite: Whether an invitation is sent, and how.
senderCompany: The company that shares.
senderCompanyId: The company that shares.
sendingAccounts: The accounts of the companies from which the order came.
sentJobsCount: Jobs that were sent.
sentToDriverAt: When it was sent to the driver.
service: The kind of work that is sold.
serviceClass: A class of work, by which the company sorts it.
serviceClassId: A class of work, by which the company sorts it.
serviceClassIds: Only of these classes of work.
serviceDate: When the material was served.
TicketSort.serviceDate: By the time at which the material was served.
serviceId: The kind of work that is sold.
serviceIds: Only of these kinds of work.
serviceName: Where files are stored.
serviceType: The kind of work.
services: The kinds of work for which it is.
settled: Whether every record is settled.
sharedDriverId: The shared driver.
shiftAdjustmentMinutes: Minutes by which the shift is corrected.
shiftAdjustmentType: Why the shift is corrected.
signableId: The id of what was signed.
signableType: The kind of record that was signed.
signedId: By which the upload is attached.
site: The place.
siteId: The place.
siteIds: Only of these places.
siteRadius: The radius of new sites, in meters.
siteType: The kind of place.
siteTypes: Only with a place of these kinds.
skipped: How many were skipped.
skippedUpdate: How many fields were kept as people had edited them.
sms: Whether a text message is sent.
source: Where it comes from.
sources: Only from these sources.
speedMetersPerSecond: The speed, in meters a second.
startCursor: The cursor of the first record of the page.
startDate: The first day, in the company's time zone.
startJobReminder: A reminder to start the job.
startedAt: When it began.
startedJobsCount: Jobs that were started.
startsAt: The first moment of the day.
startsOn: The first day.
state: Its state.
stateChangedAt: When its state changed for the last time.
stateEvents: The events that are possible now.
states: Only in one of these states.
status: The result.
subjectId: The id of the record that it is about.
summary: The result in a sentence.
supersededBy: The newer record of the same key.
supervisorContact: Whom to ask instead of a supervisor.
system: Whether it comes with the service, and cannot be changed.
systemOfMeasure: Whether the company measures in feet or in meters.
tag: The purpose of the area.
taxAddOns: Whether extra charges are taxed.
taxFreight: Whether haulage and fuel surcharge are taxed.
taxMaterial: Whether the material is taxed.
taxRate: The tax, in percent.
taxable: Whether it is taxed.
textToAcceptEnabled: Whether the person accepts jobs by text message.
thoroughfare: The street with its number.
ticket: The ticket of the load.
LoadFilter.ticket: Only loads whose ticket meets this.
ticketMatchId: The name by which tickets know it.
ticketNumber: The number of the ticket.
ticketed: Whether tickets prove it.
tickets: Tickets, page by page.
timeFormat: How the company writes times.
timeIncrementMinutes: The time is rounded up to such steps, in minutes.
timeMinimumMinutes: The least time that is counted, in minutes.
timeMinutes: The minutes that it took.
timeRate: The rate of an hour or a day.
timeZone: The time zone (IANA).
toLoadId: The load with which the cycle ends.
totalCount: How many there are in all.
totalDeliveredQuantities: All quantities that were delivered, for each unit and material.
totalGpsMinutes: Minutes of which positions are known.
totalLoads: How many loads there are.
totalPayables: The amount to be paid to vendors and drivers.
totalQuantity: How much there is in all.
totalReceivables: The amount to be received from customers.
totalTicketsCount: How many tickets there are.
totalTicketsMissingJobQuantity: The sum of the tickets that have no job.
totalTicketsQuantity: The sum of the tickets.
totalUnits: How many units there are.
troubled: Only records that failed or have warnings, or only others.
travelledDistanceMeters: Meters that the truck travelled.
truck: The truck.
truckCount: How many trucks there are.
truckDelay: Minutes between two starts.
truckQuantity: How many trucks there are.
trucksPerDelay: How many trucks start at once.
type: The kind.
unapprovable: Whether its approval can be taken back now.
unitIncrement: The quantity is rounded up to such steps.
unitMinimum: The least quantity that is counted.
unitOfDistance: The unit of distances.
unitOfMeasure: The unit of the quantity.
unitQuantities: How much was delivered in each unit.
unitRate: The rate of one unit.
unitsPerHour: How much is hauled in an hour.
unknownColumns: Columns that mean nothing here.
unloadedAt: When it was unloaded.
updatedAt: When it changed for the last time.
uploadedBy: The person or program that uploaded it.
url: Where it is.
usageMinutes: Minutes for which it was used.
usageStatus: How the company uses the service.
used: The value that was taken instead.
user: The person.
userDevicePermission: The permission that the telephone may be asked for.
userDevicePermissionState: Whether the telephone allows it.
userDevicePermissions: The permissions that the person's telephone gives.
userId: The person.
value: The value.
vendor: The amount that the vendor is paid.
vendorAccount: The vendor.
vendorAccountId: The vendor.
vendorAccountIds: Only of these vendors.
vendorCost: The amount that the vendor is paid.
vendorId: The vendor.
vendorJobAssignment: The link by which the company passed the job on.
vendorName: The vendor, as the ticket names it.
vendorRate: The rate card of the vendor.
vendorRateId: The rate card of the vendor.
vendorRateType: How the vendor's rate is counted.
vendorRateValue: The vendor's rate, for one unit.
version: How often it was changed; sent with a change, it refuses one that would overwrite somebody else's.
visible: Whether people see it in lists.
warningCode: Only with this warning.
warnings: Problems that were noticed, but do not stop it.
waypoint: Only sites that are such a stop.
waypoints: The stops in their order.
workTimeMinutes: Minutes of work.
zone: A company's own word for where it is.
`;
