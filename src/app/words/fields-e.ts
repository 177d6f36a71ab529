export const FIELDS_E_TO_M = `
editable: Whether it can be changed now.
effectiveAt: When it begins.
effectiveBillingContact: The person to ask about bills, taken from the parent company if there is nobody here.
effectiveBillingStatus: The status of billing, taken from the parent company if it pays.
effectiveFuelSurchargePercentage: The fuel surcharge that applies, in percent.
effectiveSaasBillingPlan: The plan that applies, taken from the parent company if it pays.
effectiveUsageStatus: How the service is used, taken from the parent company if it decides.
email: The e-mail address.
endCursor: The cursor of the last record of the page.
endDate: The last day, in the company's time zone.
endReason: How the shift ended.
endShiftReminder: A reminder to end the shift.
endsOn: The last day.
entity: Whom or what the issue is about.
equipment: The truck or trailer.
equipmentCapacity: How much fits on a truck.
equipmentId: The truck or trailer.
equipmentIds: Only of these trucks and trailers.
equipmentName: The truck, as the ticket names it.
equipmentType: The kind of truck.
equipmentTypeGrossCapacity: How much fits on a truck.
equipmentTypeGrossCapacityUnitOfMeasure: The unit of the capacity.
equipmentTypeId: The kind of truck.
equipmentTypeIds: Only of these kinds of trucks.
errorCode: Only records that failed for this reason.
errors: The errors, if there are any.
estimatedDeliveredQuantity: How much has been delivered, about.
estimatedDeliveredUnitOfMeasure: The unit of the estimate.
estimatedHours: How many hours the work takes, about.
event: The event.
eventName: The event.
eventSource: The source that reported it.
exhausted: How many failed and are not tried again.
expectedTotalLoads: How many loads are expected.
expiresAt: When it ends.
externalApproverName: The name of an approver who has no account here.
externalId: The id that the sender's own system gave it.
externalIds: Only with one of these ids of the sender's system.
externalMaterialMaterialName: The material, as the scale house names it.
externalNetWeight: The net weight, as the scale house reports it.
externalNetWeightUnit: The unit of the net weight.
externalTicketNumber: The number of the ticket at the scale house.
externalTruckId: The truck, as the scale house names it.
externalVendorName: The vendor, as the scale house names it.
failed: How many failed and are tried again.
failedCount: How many failed.
field: The field with the problem.
fieldApprovedAt: When it was approved in the field.
fieldType: The kind of value that the document has.
fields: The fields that change.
fileAttachableId: The id of what the file is attached to.
fileAttachableType: The kind of record to which the file is attached.
fileAttachmentsCount: Files that are attached.
fileCount: How many files it contains.
fileName: The name of the file.
fileUrl: Where the file is.
filename: The name of the file.
filter: Which records are meant.
finishedAt: When it was finished.
firstAcceptedAt: When it was accepted for the first time.
firstCanceledAt: When it was canceled for the first time.
firstDeclinedAt: When it was declined for the first time.
firstGeofenceEntryAt: When the truck entered a geofence for the first time.
firstLoadUnloadedAt: When the first load was unloaded.
firstName: The first name.
firstSentAt: When it was sent for the first time.
firstTicketAt: When the first ticket came.
flagged: Whether somebody should look at it.
flatAmount: The amount, whatever was done.
foremanApproved: Whether a foreman has approved it.
foremanContact: Whom to ask instead of a foreman.
foremanExternalId: The foreman's id in the sender's own system.
foremanIds: The foremen.
foremen: The foremen, who lead the work on site.
friendlyJobId: The number of the job.
friendlyOrderId: By the number of the order.
fromLoadId: The load with which the cycle begins.
fuelSurchargeEnabled: Whether a fuel surcharge is added.
fuelSurchargePercentage: The fuel surcharge, in percent.
fullAddress: The address in one line.
geofence: The area.
geofenceDelaySeconds: Seconds in a geofence before an arrival counts.
geofenceType: Whether it stays in its place.
geojson: The polygon, as GeoJSON.
given: The value that the sender wrote.
gpsMinutes: Minutes of which positions are known.
gpsStatus: Whether the telephone reports where it is.
grossCapacity: How much fits.
grossCapacityUnitOfMeasure: The unit of the capacity.
hasExpiration: Whether documents of the type expire.
hasFailures: Only with records that failed, or only without.
hasWarnings: Only with warnings, or only without.
hasGpsData: Whether positions are known.
hasIssues: Whether something is missing or expired.
hasNextPage: Whether records follow the page.
hasPreviousPage: Whether records precede the page.
haulerRateType: How the hauler's rate is counted.
headers: Headers that must be sent with the bytes.
homeBase: Where the truck is parked.
homeBaseId: Where the truck is parked.
iamRoles: The roles that the company defined for the person.
id: The id, a UUID.
identityProvider: The kind of provider.
idpConnectionId: The connection to the provider.
idpIdentityProvider: The kind of provider.
idpMemberId: The person's id at the identity provider.
idpMemberStatus: Whether the person has joined.
idpOrganizationId: The company's id at the identity provider.
idpUserId: The person's id at the identity provider.
idpUserStatus: Whether the person may sign in.
ids: Only these records.
imageMimeType: The media type of the picture.
imageName: The name of the picture.
imageUrl: Where the picture is. The URL opens it without a token for 15 to 30 minutes.
importReceivedAt: When the payload came.
importedFor: The external id or ticket number under which it was sent; null if it had none.
includeAssignee: Whether the copies get the drivers and vendors, too.
index: Its place among the elements, from 0.
internalEquipment: Trucks of one's own that the vendor drives.
internalNotes: Notes that only the own company sees.
invoice: By one invoice of the work.
issuer: Where the provider publishes its configuration.
issues: The problems that were found.
itemIndex: Its place in the request, from 0.
job: The job.
DispatchNumberFacetFilter.job: Only with a job that meets this.
OrderFilter.job: Only orders with one job that meets all of this.
LoadFilter.job: Only loads of jobs that meet this.
jobAssignments: The links of the vendor chain, from the owner on.
jobCanceled: Messages about canceled jobs.
jobCompleted: Messages about completed jobs.
jobDurationMinutes: Minutes that a job takes.
jobEvents: The events of the job, page by page.
jobId: The job.
Load.jobId: The number of the job.
jobIds: The jobs.
jobNotes: Notes for drivers.
jobPhaseCode: The cost code of the job's phase.
jobPhaseName: The name of the job's phase.
jobQuantity: How much one job hauls.
jobStartAt: When the job starts.
JobSort.jobStartAt: By the start of the job.
jobStateChanged: Messages about other states of jobs.
jobSummary: Times and sums of the job.
jobTime: Minutes that a job takes.
jobUnassigned: Messages about jobs that were taken away.
jobUnitOfMeasure: The unit of a job's quantity.
jobs: Jobs, page by page.
DayJobs.jobs: The jobs in this state, by start.
jobsCount: How many jobs there are.
key: The key under which it is stored or counted.
kind: The kind.
kinds: Only of these kinds.
labelIds: The labels.
labels: The company's own labels.
language: The language of messages.
lastError: Why it failed.
lastGeofenceExitAt: When the truck left a geofence for the last time.
lastLoginAt: When the person signed in for the last time.
lastName: The last name.
lastPingAt: When the telephone reported for the last time.
lastTicketAt: When the last ticket came.
lastTicketReceivedAt: When a ticket named it for the last time.
lat: The latitude, in degrees.
legalName: The legal name.
licenseNumber: The number plate.
line: The line of the file, from 1.
link: The number of the link in the vendor chain.
load: The load.
BulkUpdateJobInput.load: The changes of the jobs' loads.
loadAt: When loading begins.
OrderSort.loadAt: By the beginning of loading.
loadCompleted: Messages about completed loads.
loadCompletedAt: When the load was completed.
loadCycleAvg: Minutes of a cycle, on average.
loadCycleTimeMinutesAvg: Minutes of a cycle, on average.
loadCycles: The cycles, one after the other.
loadId: The load.
Load.loadId: The number of the load.
loadSummary: Times of the load.
loadUnitOfMeasure: The unit in which loads are measured.
loadedAt: When it was loaded.
loads: Loads, page by page.
loadsCount: How many loads there are.
loadsPerTruck: How many loads each truck hauls.
loadsWithTicketsCount: Loads that have a ticket.
locality: The city.
location: The position.
loggingEndedAt: When work ended, as it was reported.
loggingStartedAt: When work began, as it was reported.
lon: The longitude, in degrees.
magicLinksToken: The token of the link.
managed: Whether the company behind it is managed by this one.
matches: Which records the payload's names were found to mean.
material: The material that is hauled.
materialGrossDeliveredQuantity: How much of the material was delivered.
materialGrossRequestedQuantity: How much of the material was requested.
materialGrossTicketedDeliveredQuantity: How much of the material was delivered by tickets.
materialGrossUnitOfMeasure: The unit of the material's quantities.
materialId: The material that is hauled.
materialIds: Only of these materials.
materialName: The material.
materialRateAssignment: The prices of the material.
materialRateBuyPrice: The price at which the material is bought, for one unit.
materialRateItemized: Whether the material is billed in lines of its own.
materialRateSellPrice: The price at which the material is sold, for one unit.
materialRateSite: Where the material is bought.
materialRateSiteId: Where the material is bought.
materialRateUnitOfMeasure: The unit of the material's prices.
materialType: The kind of material.
message: A sentence that says the problem, in the caller's language.
metadata: Anything that the sender wants to keep with it.
method: How it was done.
mimeType: The media type.
minimumSupportedVersion: The oldest version of the app that works.
missingInfo: Whether something is missing that it must have before it is approved.
model: The kind of record with the problem.
movingGeofence: Whether the area follows a truck.
movingSite: The truck that the site follows.
`;
