/** The meanings of arguments, by their names; `field.argument` where one means something else. */
export const ARGUMENTS = `
companyId: The company whose records are meant; by default, your own.
id: The id of the record.
input: The values.
first: The page has this many records from the beginning of the list, or behind \`after\`: 0 to 100; 25 by default.
last: The page has this many records from the end of the list, or in front of \`before\`: 0 to 100.
after: The cursor behind which the page begins.
before: The cursor in front of which the page ends.
search: Words, all of which a record must contain.
filter: Which records are meant.
sort: In which order; newest first by default.
jobsByPage.sort: In which order; by start by default.
ordersByPage.sort: In which order; by loading time by default.
managedCompanyId: The managed company.
jobId: The job.
userId: The person.
siteId: The site.
orderId: The order.
projectId: The project.
driverDayId: The working day of the driver.
loadId: The load.
waypointType: Which kind of stop it is.
jobIds: The jobs.
compliantType: The kind of whom the document is about.
compliantId: The id of whom the document is about.
accountId: The customer or vendor.
type: The kind.
facet: Which records are offered.
mapping: Names of columns, and what each of them means.
dryRun: Only reports what would happen.
date: The day, in the time zone of the company.
csv: The lines, with a header.
ids: Only these records.
equipmentId: The truck.
data: The changes.
channel: How the invitation is sent.
withLoads: Also counts loads.
vendorAssignments: Which vendor gets which jobs.
tickets: The tickets, as they are sent to \`/ingest/tickets\`.
state: The new state.
projects: The projects, as they are sent to \`/ingest/projects\`.
resourceUsageLogs: The usage logs, each with what was used and for how long: those with an id are changed or removed, the others added.
platformId: The id by which the company is found.
payload: The corrected element.
orders: The orders, as they are sent to \`/ingest/orders\`.
orderIds: The orders.
driverId: The driver.
driverAssignments: Which driver gets which jobs.
companyShareableId: The record that is shared.
bulkActionId: The bulk action.
as: The format of the times.
additionalGeofences: Further areas of the site.
additionalEquipmentIds: Trailers and other equipment in addition to the truck.
`;

/** The descriptions of root fields that do not describe themselves. */
export const ROOTS = `
acceptJob: Accepts a job that was sent: its driver or vendor takes it.
acceptOrder: Accepts an order that was requested.
addOrderDefaultSite: Adds a site that is offered for stops of the order.
addProjectDefaultSite: Adds a site that is offered for stops of the project.
arriveJob: Reports that the truck has arrived at its next stop.
assignVendorToJob: Assigns a vendor to a job.
bulkAcceptJobs: Accepts many jobs in the background.
bulkAssignDrivers: Assigns drivers to many jobs in the background.
bulkAssignVendors: Assigns vendors to many jobs in the background.
bulkCancelJobs: Cancels many jobs in the background.
bulkDeleteJobs: Deletes many jobs in the background.
bulkUnassignJobs: Takes drivers and vendors from many jobs in the background.
bulkUpdateJobs: Changes many jobs in the background.
cancelJob: Cancels a job: it is not done.
cancelOrder: Cancels an order with its open jobs.
completeJob: Completes a job: its driver has done it.
completeJobLoad: Completes the running load of a job, and begins the next one.
completeOrder: Completes an order.
copyOrder: Creates an order with the values of this one.
deleteFileAttachment: Deletes a file.
deleteJob: Deletes a job that nobody has begun.
deleteLoad: Deletes a load.
deleteManagedCompanyShare: Ends a share of a managed company.
deleteManagedEquipment: Discards a truck of a managed company.
deleteTicket: Deletes a ticket.
enrouteJob: Reports that the truck is on its way to its next stop.
flagJob: Flags a job: somebody should look at it.
holdOrder: Holds an order: its work rests.
loadJobMaterial: Reports that the truck is loaded.
pauseJob: Pauses a job.
payJob: Marks a job as paid.
rejectJob: Rejects a job that was sent.
rejectOrder: Rejects an order that was requested.
removeJobFlag: Removes the flag of a job.
removeJobSignoff: Takes back that a job was signed off.
requestOrder: Requests an order of the company that will do it.
resumeJob: Resumes a job that was paused.
reviewJob: Begins the review of a job.
sendJob: Sends a job to its driver or vendor.
signOffJob: Signs a job off: it is ready for billing.
startOrder: Starts the work of an order.
unassignJob: Takes driver and vendor from a job.
unloadJobMaterial: Reports that the truck is unloaded.
weatherHoldOrder: Holds an order for the weather.
bulkAction: One bulk action with its progress.
bulkActions: Bulk actions, newest first.
equipmentList: Trucks and trailers of a company.
jobSignatures: The signatures of a job.
loadFileAttachments: The files of a load.
loadSignatures: The signatures of a load.
orderPhases: The phases of an order.
orderTimeline: The timeline of an order.
projectFileAttachments: The files of a project.
projectPhases: The phases of a project.
projectTypeahead: Projects for a form while somebody types.
siteContacts: The contacts of a site.
siteGeofences: The further geofences of a site.
`;
