/** The descriptions of types that do not describe themselves, and whose name no pattern explains. */
export const TYPES = `
AuditEvent: The kinds of events that the audit log reports.
ComplianceIssueType: The reasons for which a document does not hold.
GpsConfidenceLevel: How complete the positions of a job are.
TravelledDistanceType: The activity of a truck while it drove.
GeofenceAreaTag: The activity in the area of a geofence.
Mutation: Changes, which run one after the other. Each is null if it fails, and the others are done.
PrincipalType: The kinds of authors.
Query: Reads. Each root field is null if it fails, and the others are answered.
BulkApprovalInput: Which days are approved.
UpdateDevicePermissionsInput: The permissions that a telephone grants to the app.
GenerateInvoiceLineItemsInput: The rate that is tried.
RebillRateInput: The rate at which work is billed anew.
AccessName: Parts of the applications that a person may use.
Account: A business as the company keeps it in its books: a customer, a vendor or both.
AccountExternalTruckIdentifier: A name by which a vendor's truck appears on tickets.
AccountType: The business relation of an account to the company.
ActivityState: Whether a record is suggested for new work.
AddOn: A named extra charge.
AddOnRateType: How an extra charge is counted.
AddOnType: The records to which an extra charge can be added.
Address: A postal address.
AiReview: The automatic review of a load.
ApprovableType: The records that can be approved.
ApprovalAction: Whether something was approved, or an approval was taken back.
ApprovalAssignment: One approval, or its withdrawal.
ApprovalCategory: Where an approval counts.
ApprovalInput: As whom something is approved.
ApprovalStatus: The approvals of a record.
ApprovalType: As whom somebody approves.
AssignVendorInput: The vendor that gets a job.
AuthMethod: A way to sign in.
AuthMethodList: The ways in which a person may sign in.
BillingStatus: Whether a company pays for the service.
BulkAction: An action on many records, which runs in the background.
BulkActionItem: One record of a bulk action, with its outcome.
BulkActionKind: The kinds of bulk actions.
BulkActionState: How far a bulk action is.
BulkAssignVendorInput: A vendor and the jobs that it gets.
BulkCopyAssignmentsInput: The jobs whose assignments are copied, and the order to which.
BulkDownload: The files of many jobs in one file, which is made in the background.
BulkDownloadObject: The made file.
BulkDownloadState: How far a download is.
BulkDownloadType: The form in which a download is made.
BulkDriverSmsInput: Text messages to drivers.
BulkItemError: Why one record of a bulk action failed.
BulkItemState: How far one record of a bulk action is.
BulkSendDayResult: The actions that sending a day has begun.
BulkUpdateAccountInput: The changes of one of several accounts.
BulkUpdateJobInput: The changes of many jobs.
BulkUpdateLoadInput: The changes of the loads of many jobs.
CalculateCostInput: The work whose cost is asked for.
CircleCenterInput: The middle of a circle.
Company: A business that uses the platform.
CompanyDayDriverStat: The work of a driver on a day.
CompanyLanguage: The language of a company.
CompanyName: A company, by its names alone.
CompanyShare: The permission of another company to see a driver, truck or site, and perhaps to plan with it.
CompanyShareable: A record that can be shared.
CompanyShareableType: The records that can be shared.
CompanyType: The kinds of businesses.
ComplianceCheck: A document that is missing or expired before work is assigned.
ComplianceChecklistItem: One type of document, and the newest document of it.
ComplianceDocument: A document with a date on which it expires, such as a licence.
ComplianceDocumentType: A kind of document that a company asks for.
ComplianceFieldType: The kinds of values that a document can have.
ComplianceIssue: A document that is missing or expired.
CompliantType: Whom a document is about.
ConflictSeverity: How much a conflict weighs.
ConnectAccountInput: The company with which to connect.
ConnectCompaniesInput: Two companies that are connected.
ConnectedAccount: The account that the other company has of this one.
Contact: Somebody to ask.
ContactBulkAssignInput: Contacts that are added, changed and removed.
ContactInput: Somebody to ask.
CopyOrderInput: The values of the copy that are different.
CopyRateInput: For what the copy is.
CsvPreview: How a file would be read.
CsvPreviewRecord: How one line would be read.
CsvReceipt: The outcome of a file.
CsvRowReceipt: The outcome of a line.
Currency: A currency.
DailyExport: The tickets of a day as a file.
DayAvailability: Whether somebody or something is free on a day.
DayDriver: A driver, and their work of the day.
DayJobs: The jobs of a day in one state.
DayTruck: A truck, and its work of the day.
DeliveredQuantity: How much of a material was delivered in one unit.
Department: A part of a company, by which it sorts its orders, people and trucks.
DevicePermission: The permissions that a telephone may be asked for.
DevicePermissionInput: A permission of a telephone, as its owner set it.
DevicePermissionState: Whether a telephone allows something.
DeviceStatus: The permissions and reports of a driver's telephone.
DirectUpload: An announced file, and where its bytes are sent to.
DirectUploadTarget: Where bytes are sent to, and how.
DispatchNumber: A name that groups orders, and by which a scale house knows them.
DispatchNumberInput: A dispatch number.
DriverAssignmentInput: A driver and the job that they get.
DriverSmsInput: A text message to the driver of a job.
PreviousDayFilter: Which past days of a driver are listed.
DriverDayException: The ways in which a working day can be unusual.
DriverStateSource: The sources that report the state of a driver.
LiveMinutes: Minutes that are still running.
MaterialDeliveredQuantity: How much of a material was delivered.
QuantityUnit: A quantity in one unit.
ShiftAdjustmentType: Why a shift is corrected.
ShiftEndReason: How a shift ended.
DriverDayWarning: Something about a working day that the office should look at.
PrincipalCompany: The company of who did something.
PrincipalPerson: The person who did something.
DriverState: Whether a driver is at work.
EmailAddressInput: An e-mail address.
EmailInput: An e-mail address.
Equipment: A truck or a trailer.
EquipmentOwnership: The owner of a truck.
EquipmentType: A kind of truck, with its capacity.
EstimateOrderInput: The work whose trucks and loads are estimated.
EstimateRouteInput: The way that is estimated.
Facet: Records that are offered as a filter.
FileAttachableType: The records that files are attached to.
FileAttachment: A file that is attached to a record.
GeoJsonInput: A polygon as GeoJSON.
Geofence: The circle or polygon around a site.
GeofenceInput: A circle or polygon.
GeofenceTag: The activity in a geofence.
GeofenceType: The shape of a geofence.
GpsLocationInput: A position that a telephone reports.
GpsState: Whether a telephone reports where it is.
GpsStatus: Whether a telephone reports where it is, and since when.
GrossCapacity: How much fits on a truck, in one unit.
GrossCapacityInput: How much fits on a truck, in one unit.
IamPermission: A permission of the catalogue.
IamRole: A role that is built in, or that a company has defined.
IdpMemberStatus: Whether a person has joined.
ImportAttempts: How often an element was tried.
ImportBatch: The elements of one request to the importer.
ImportChange: A record that an element would change.
ImportCounts: How many records are in each state.
ImportFailureCause: A reason for which records fail, and how many.
ImportFieldChange: A field with its value before and after.
ImportKind: The kinds of records that are imported.
ImportKindStatus: The imports of one kind.
ImportMatch: A record that a name in the payload was found to mean.
ImportMatchedBy: By what a record was found.
ImportPreview: The effect that an import would have.
ImportPreviewRecord: The effect that the import of one element would have.
ImportReceipt: The elements that were accepted.
ImportReceiptRecord: One accepted element.
ImportReplayed: How many records are tried again or closed.
ImportStatus: How imports are going.
ImportWarningCount: How often a warning was noted.
ImportWarningFrequency: A warning, and how often it was noted.
ImportWarning: Something that was read in another way than it was written.
ImportedRecord: The report on one element.
ImportedRecordState: How far an element is.
InvitationChannel: How an invitation is sent.
InviteAccountInput: The business that is invited.
InviteEquipmentInput: A truck of the invited business.
InviteInternalEquipmentInput: A truck of one's own that the invited business drives.
InvitedCompanyType: The kinds of businesses that can be invited.
Job: One truck's part of an order.
JobApprovalInput: As whom a job is approved.
JobAssignment: One step of a vendor chain: who passed the job to whom, and at which rate.
JobEvent: Something that happened to a job.
JobEventInput: The report of a driver with an event.
JobEventName: The events of a job.
JobEventSource: The sources that report an event.
JobField: Fields of a job that may be empty.
OrderField: Fields of an order that may be empty.
JobPart: As what somebody takes part in a job.
JobState: How far a job is.
JobStateEvent: The events of a job.
JobSummary: Times and sums of a job.
JobTimelineEntry: Something that happened to a job, with what changed.
KMLFile: An uploaded file of places.
Label: A company's own way to mark people, trucks and accounts.
LastPosition: Where a telephone was last.
LatLon: A place on earth, in degrees.
Load: One trip of a job, from a pickup to a drop-off.
LoadCycle: The time from one load to the next.
LoadCycles: The cycles of a job.
LoadField: Fields of a load that may be empty.
LoadState: How far a load is.
LoadSummary: The times of a load.
LoginInput: E-mail address and password.
MagicLinkLoginInput: The token of a link that was mailed.
Material: Something that is hauled, such as flex base.
MaterialRate: The price at which a company buys or sells a material.
MaterialRateAssignment: The prices of the material of an order, job or load.
MaterialRateAssignmentInput: The prices of the material.
MaterialType: A kind of material.
MobileDeviceLocationInput: A position of a telephone.
MobileDeviceLocationsInput: Positions of a telephone.
MovingSite: A site that follows a truck.
MovingSiteInput: The truck that a site follows.
NotificationMethod: How people are notified.
NotificationPreferencesInput: How a person is notified of what.
Order: The work that a customer wants to have done on one day.
OrderEstimate: How many trucks and loads an order needs.
OrderState: How far an order is.
OrderStateEvent: The events of an order.
OrderSummary: Counts and sums of an order.
OtpSms: A telephone to which a code was sent.
OtpSmsLoginInput: The code that was sent.
PageInfo: Where a page is in its list.
PeopleFacet: People who are offered as a filter.
Phase: A section of a project or order with its own cost code.
PhaseInput: A section with its cost code.
PhoneInput: A telephone number.
PlanConflict: A reason that speaks against a plan.
Principal: An author: a person, a machine client, or somebody who acted as another person.
Project: A long-running job site or contract.
ProjectMaterial: How much of a material a project needs.
Rate: A rate card: what is paid, and under which conditions.
RateOwnerType: For whom a rate is.
RateSource: Where a rate comes from.
RateType: How a rate is counted.
RefreshSessionInput: The token by which a new session is fetched.
RejectJobInput: Why a job is rejected.
RejectOrderInput: Why an order is rejected.
RequestedApprovalType: As whom somebody wants to approve.
RequestedQuantityType: The kinds of quantities that are requested.
ResetPasswordInput: The new password, with the token of the mail.
Resource: A record to which people can be limited.
ResourceType: The kind of record to which people can be limited.
ResourceUsageLogChange: A use that is added, changed or removed.
ResourceUsageLoggableType: The things that can be used.
Role: A role that is built in.
RotateM2MClientInput: How long the old secret works.
RouteEstimate: How long and how far a way is.
RouteEstimateSource: How a way was measured.
RoutingGeofence: An area by which arrivals are noticed.
RoutingGeofenceInput: An area by which arrivals are noticed.
SaasBillingPlan: A plan of the service.
SendInviteInput: How an invitation is sent.
Service: The kind of work that a company sells, such as haulage.
ServiceClass: A class of work, by which a company sorts it.
ServiceType: A kind of work.
SetTicketImageInput: The picture of a ticket.
SignInMethod: How a session began.
SignUpInput: The password of a person who was invited.
SignableType: The records that can be signed.
Signature: A signature.
SignatureType: The signer of a signature.
SimulateOrderInput: An order that is only tried.
Site: A place of a company, such as a quarry or a job site.
SiteEquipmentStats: The trucks at a site.
SiteFacet: Sites that are offered as a filter.
SiteFacetWaypoint: The kind of stop for which sites are offered.
SiteQuery: Which sites are meant.
SiteRateSchedule: The rates of a project for work between some places.
SiteRateScheduleInput: The rates of a project for work between some places.
SiteType: The kinds of places.
SortDirection: The direction of an order.
SsoKind: How an identity provider speaks.
SsoLoginInput: The code of a sign-in.
SsoProvider: An identity provider of a company.
SystemOfMeasure: Feet or meters.
Ticket: The slip of a scale: what one load weighed.
TicketRollupSummary: Sums over tickets.
TicketSource: Where a ticket comes from.
TicketState: How far a ticket is.
TicketStateEvent: The events of a ticket.
TimeLogged: A span of work.
TimelineEntry: Something that happened to a record.
TrafficControlPlan: A plan of how traffic is led around the work.
UnitOfDistance: A unit of distances.
UnitOfMeasure: A unit of quantities.
Uploader: The person or program that uploaded a file.
UsageStatus: How a company uses the service.
User: A person: a driver, a foreman or somebody in the office.
UserPreferencesInput: Which messages a person gets.
Validation: The reasons that speak against a plan.
Waypoint: A stop of an order, job or load.
WaypointType: The activities at a stop.
`;
