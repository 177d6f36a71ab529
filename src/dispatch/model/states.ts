import { stringEnum } from '../../platform/model/columns.ts';

/** States and events of the public contract (enums OrderState, JobState, LoadState, ...); the transitions are in *.machine.ts. */
export const OrderState = stringEnum('OrderState', [
  'created',
  'pending_request',
  'accepted',
  'rejected',
  'in_progress',
  'completed',
  'canceled',
  'hold',
  'weather_hold',
]);
export type OrderState = keyof typeof OrderState;

export const OrderStateEvent = stringEnum('OrderStateEvent', [
  'accept',
  'cancel',
  'complete',
  'hold',
  'reject',
  'request',
  'start',
  'weather_hold',
]);
export type OrderStateEvent = keyof typeof OrderStateEvent;

export const JobState = stringEnum('JobState', [
  'created',
  'assigned',
  'sent',
  'accepted',
  'rejected',
  'to_pickup',
  'arrived_pickup',
  'loaded',
  'to_dropoff',
  'arrived_dropoff',
  'unloaded',
  'load_completed',
  'completed',
  'ended',
  'canceled',
  'in_review',
  'flagged',
  'signed_off',
  'paid',
]);
export type JobState = keyof typeof JobState;

export const JobStateEvent = stringEnum('JobStateEvent', [
  'accept',
  'arrive',
  'assign',
  'cancel',
  'complete',
  'complete_load',
  'end',
  'enroute',
  'flag',
  'load_material',
  'pay',
  'reject',
  'remove_flag',
  'remove_signoff',
  'request',
  'review',
  'sign_off',
  'unassign',
  'unload_material',
]);
export type JobStateEvent = keyof typeof JobStateEvent;

export const LoadState = stringEnum('LoadState', [
  'created',
  'to_pickup',
  'arrived_pickup',
  'loaded',
  'to_dropoff',
  'arrived_dropoff',
  'unloaded',
  'completed',
  'canceled',
  'paused',
]);
export type LoadState = keyof typeof LoadState;

export const JobEventName = stringEnum('JobEventName', [
  'JobCreated',
  'JobUpdated',
  'JobAssigned',
  'JobUnassigned',
  'JobSent',
  'JobAccepted',
  'JobDeclined',
  'WaypointPending',
  'WaypointArrived',
  'WaypointAction',
  'JobCanceled',
  'JobCompleted',
  'JobEnded',
  'JobInReview',
  'JobFlagged',
  'JobSignedOff',
  'JobPaid',
  'JobRemovedSignedOff',
  'JobRemovedFlagged',
  'JobPaused',
  'JobResumed',
  'LoadCompleted',
  'LoadCanceled',
  'LoadUpdated',
  'GeofenceEntered',
  'GeofenceExited',
  'OrderCompleted',
  'OrderCanceled',
  'ShiftEnded',
  'NotificationSent',
  'ToPickup',
  'ToDropoff',
  'AtPickup',
  'AtDropoff',
  'Loaded',
  'Unloaded',
  'JobRequested',
  'JobLoading',
  'JobUnloading',
  'JobDriverChanged',
  'JobEquipmentChanged',
  'JobMaterialChanged',
  'JobAttributeChanged',
  'TicketChaseInitiated',
  'TicketsUploadedByAgent',
  'ComplianceOverride',
  'LoadAiReviewed',
]);
export type JobEventName = keyof typeof JobEventName;

export const JobEventSource = stringEnum('JobEventSource', ['web', 'webhook', 'automation', 'ticket_match', 'geofence']);
export type JobEventSource = keyof typeof JobEventSource;

export const RequestedQuantityType = stringEnum('RequestedQuantityType', ['truck', 'load', 'unit']);
export type RequestedQuantityType = keyof typeof RequestedQuantityType;

export const WaypointType = stringEnum('WaypointType', ['pickup', 'staging', 'drop_off', 'weigh_point']);
export type WaypointType = keyof typeof WaypointType;

/** States in which the work is done, whether it is approved and paid or not. */
export const JOB_FINISHED: readonly JobState[] = ['completed', 'ended', 'in_review', 'flagged', 'signed_off', 'paid'];

/** States in which a job takes no further load, and does not follow its order. */
export const JOB_TERMINAL: readonly JobState[] = [...JOB_FINISHED, 'canceled'];

/** States of a job in which no load of it was begun. */
export const NOT_STARTED: readonly JobState[] = ['created', 'assigned', 'sent', 'accepted', 'rejected', 'canceled'];

/** States of a job that is on the road with a load. */
export const HAULING: readonly JobState[] = ['to_pickup', 'arrived_pickup', 'loaded', 'to_dropoff', 'arrived_dropoff', 'unloaded'];

/** States of a job that its driver has begun and not ended. */
export const UNDER_WAY: readonly JobState[] = [...HAULING, 'load_completed'];

/** States in which a job no longer occupies its driver or truck. */
export const JOB_OVER: readonly JobState[] = [...JOB_TERMINAL, 'rejected'];
/** The same, for SQL. */
export const OVER = `('${JOB_OVER.join("', '")}')`;

/** States of a load that is not open: it is over, or nobody has begun it, as the one that a job whose loads recur has ahead when its shift ends. */
export const LOAD_NOT_OPEN: readonly LoadState[] = ['created', 'completed', 'canceled'];
