/** The meanings of values of enums. `Enum.value` is for a value that means something else there. */
export const VALUES = `
customer: A customer.
vendor: A vendor.
active: In use.
inactive: Not suggested for new work.
AddOnRateType.FuelSurcharge: A percentage for fuel.
AddOnRateType.PerLoad: For each load.
AddOnRateType.RateForEach: For each piece.
AddOnRateType.RatePercentOfTotal: A percentage of the total.
driver_day: A driver's working day.
driver_pay: The pay of a driver.
invoicing: An invoice.
job: A job.
settlement: A settlement.
DriverDay: A driver's working day.
Job: A job.
Load: A load.
ApproverType.Company: A company, for readers who do not see its people.
ApproverType.Impersonation: An administrator on behalf of a person.
ExportEnd.author_gone: The person or client whose permissions it had is not there any more.
ExportEnd.not_permitted: Whose permissions it had may not read the list any more.
ExportEnd.not_valid: The list refuses its filters now.
ExportFormat.csv: A sheet.
ExportFormat.ndjson: A JSON record a line.
ExportFormat.parquet: Typed columns, for programs that analyse.
ExportFrequency.daily: Every day.
ExportFrequency.weekly: On one day of the week.
ApproverType.M2MClient: A machine client.
approve: It is approved.
unapprove: The approval is taken back.
billing: For billing.
field: In the field.
biller: Somebody who bills.
company_admin: An administrator of the company.
driver: A driver.
foreman: A foreman.
platform_admin: An administrator of the platform.
google_auth: With Google.
magic_link: By a link that is mailed.
microsoft_auth: With Microsoft.
otp_sms: By a code in a text message.
password: By a password.
sso: With the company's identity provider.
reset_password: By a new password.
signup: By the invitation.
churned: It has left.
free_trial: It tries the service for free.
overdue: A payment is late.
paid: It is paid.
suspended: It is suspended.
unpaid: It has not paid.
demo: It is a demonstration.
onboarding: It is being set up.
UsageStatus.active: It uses the service.
deleted: It is deleted.
BulkActionKind.accept: Accepts jobs.
assign_drivers: Assigns drivers.
assign_vendors: Assigns vendors.
BulkActionKind.cancel: Cancels jobs.
copy_assignments: Copies assignments of other jobs.
create_settlements: Creates settlements.
approve_days: Approves days of drivers.
delete: Deletes jobs.
driver_sms: Sends text messages to drivers.
send: Sends jobs.
send_day: Sends the jobs of a day.
BulkActionKind.unassign: Takes drivers and vendors from jobs.
update: Changes jobs.
finished: It is finished.
pending: It waits.
running: It runs.
error: It failed.
success: It is made.
pdf: One PDF.
zip: An archive.
done: It is done.
failed: It failed, and is tried again.
en: English.
es: Spanish.
fr: French.
Equipment: A truck or trailer.
Site: A site.
User: A person.
broker: It passes work on.
contractor: It builds.
hauler: It hauls.
owner_operator: It drives its own truck.
producer: It makes materials.
super: It runs the platform.
boolean: Yes or no.
date: A date.
none: Nothing.
number: A number.
string: A text.
Account: A vendor.
blocking: It must be settled first.
warning: It can be ignored.
CAD: Canadian dollars.
USD: US dollars.
available: Free.
booked: With open work.
off: Not at work.
background_refresh: Work in the background.
ignore_battery_optimizations: Work while the battery is saved.
location_always: Positions at any time.
location_while_using: Positions while the app is used.
motion_and_fitness: Motion.
notifications: Messages.
physical_activity: Physical activity.
denied: It is denied.
granted: It is granted.
limited: It is granted in part.
permanently_denied: It is denied for good.
provisional: It is granted until people decide.
restricted: Something else forbids it.
break: On a break.
off_duty: Off duty.
on_duty: On duty.
external: Another company's.
internal: One's own.
Order: An order.
Project: A project.
Settlement: A settlement.
Ticket: A ticket.
order: An order.
project: A project.
ticket: A ticket.
check_in: Trucks report.
loading: Trucks are loaded.
scaling: Trucks are weighed.
ticketing: Tickets are written.
unloading: Trucks are unloaded.
circle: A circle.
moving: An area that follows a truck.
polygon: A polygon.
idle: It stands still.
no_signal: It reports no position.
offline: It has no connection.
online: It reports.
invited: The person was invited.
needs_invite: The person must be invited.
IdpMemberStatus.active: The person has joined.
ImportMatchedBy.created: Nothing was found, so it was made.
dispatch_number: By the dispatch number.
email: By e-mail.
external_id: By the sender's id.
name: By name.
name_and_external_id: By name and the sender's id.
phone: By telephone number.
platform_order_id: By the order's id.
ImportedRecordState.created: It waits for its first attempt.
exhausted: It failed, and is not tried again.
processed: It succeeded.
skipped: There was nothing to do.
skipped_update: It succeeded, but some fields were kept as people had edited them.
sms: A text message.
mail: An e-mail.
push: A message of the app.
automation: A rule.
geofence: A geofence.
ticket_match: A ticket that was matched.
web: Somebody in the office.
webhook: Another system.
agent: An agent at the scale.
api_integration: A program.
driver_app: The driver's app.
collaborator: A collaborator.
salesperson: A salesperson.
JobPart.assigned: Anybody who takes part.
rate_card: A rate card.
site_rate_schedule: A rate schedule of the project.
RateCommission: A percentage of another rate.
RateFlatCommission: A percentage of the whole amount.
RateFlatRate: One amount, whatever was done.
RatePerBushel: For each bushel.
RatePerDay: For each day.
RatePerHour: For each hour.
RatePerLoad: For each load.
RatePerTon: For each ton of 2,000 pounds.
RatePerTonne: For each tonne of 1,000 kilograms.
RatePerYard: For each cubic yard.
load: Loads.
truck: Trucks.
unit: Units of measure.
dispatcher: A dispatcher.
it_admin: An administrator of accounts and programs.
manager: A manager.
great_circle: Along the great circle.
roads: On roads.
basic: The basic plan.
pro: The professional plan.
standard: The standard plan.
DriverSignature: The driver.
DropoffSignature: Somebody at the drop-off.
Daily: A place of one day.
Depot: A depot.
EquipmentHomeBase: Where trucks are parked.
JobSite: A job site.
Other: Another place.
Plant: A plant.
Quarry: A quarry.
break_counted_twice: A break is counted twice.
exceeds_shift: The work is longer than the shift.
fence_mismatch: The positions and the reported times differ.
forgotten_shift: The shift was not ended.
long_shift: The shift is long.
missing_break: There is no break.
no_jobs: There are no jobs.
outside_dispatch: There was work that nobody had planned.
overtime: There is overtime.
stale_after_approval: It changed after its approval.
worked_after_approval: There was work after the approval.
breakdown: A truck broke down.
lunch: A lunch.
wait_time: Waiting.
ShiftEndReason.auto: It was ended without anybody.
ShiftEndReason.office: The office ended it.
asc: Upwards.
desc: Downwards.
oidc: OpenID Connect.
saml: SAML 2.0.
imperial: Feet and pounds.
metric: Meters and kilograms.
approved: It is approved.
new: It belongs to no job yet.
TicketState.pending: It waits for its approval.
voided: It does not count any more.
kilometer: Kilometers.
mile: Miles.
Bag: Bags.
Barrel: Barrels.
Bushel: Bushels.
CubicMeter: Cubic meters.
Foot: Feet.
Gallon: Gallons.
Hour: Hours.
Kilometer: Kilometers.
Liter: Liters.
UnitOfMeasure.Load: Loads.
Meter: Meters.
Mile: Miles.
Pallet: Pallets.
Ton: Tons of 2,000 pounds.
Tonne: Tonnes of 1,000 kilograms.
Yard: Cubic yards.
drop_off: Material is unloaded.
pickup: Material is loaded.
staging: Trucks wait.
weigh_point: Trucks are weighed.
equipment: The truck.
material: The material.
quantity: The quantity.
unloadedAt: The time of unloading.
completedAt: The time of completion.
enter: Somebody came in.
exit: Somebody left.
historical: The positions that were stored.
naive: Each position alone decides.
accuracy_strict: Only positions decide that are certain to be inside or outside.
FenceAssetType.driver: A driver, by the telephone or the truck.
FenceAssetType.equipment: A piece of equipment.
SmsRegion.us: The United States.
SmsRegion.ca: Canada.
`;
