/** The meanings of the states and events of orders, jobs, loads and tickets. */
export const VALUES_OF_WORK = `
created: It was created.
pending_request: It waits for an answer.
accepted: It was accepted.
rejected: It was rejected.
hold: It rests.
weather_hold: It rests for the weather.
in_progress: Work has begun.
completed: It is completed.
canceled: It is canceled.
assigned: It has a driver or a vendor.
sent: It was sent.
to_pickup: On the way to the pickup.
arrived_pickup: At the pickup.
loaded: Loaded.
to_dropoff: On the way to the drop-off.
arrived_dropoff: At the drop-off.
unloaded: Unloaded.
load_completed: A load is completed, and the next one has not begun.
ended: The driver has ended it.
in_review: Somebody reviews it.
flagged: Somebody should look at it.
signed_off: It is ready for billing.
paused: It is paused.
accept: Accepts it.
arrive: Reports the arrival at the next stop.
assign: Assigns a driver or a vendor.
cancel: Cancels it.
complete: Completes it.
complete_load: Completes the running load.
end: Ends it.
enroute: Reports that the truck is on its way.
flag: Flags it.
load_material: Reports that the truck is loaded.
pay: Marks it as paid.
reject: Rejects it.
remove_flag: Removes the flag.
remove_signoff: Takes back that it was signed off.
request: Requests it.
review: Begins its review.
sign_off: Signs it off.
unassign: Takes driver and vendor away.
unload_material: Reports that the truck is unloaded.
start: Starts the work.
TicketStateEvent.approve: Approves it.
void: Voids it.
`;
