import { authorizationMessages } from '../platform/authz/authorization.messages.ts';
import { AuditEntry } from '../platform/commands/audit.entity.ts';
import { OutboxEvent } from '../platform/commands/outbox.entity.ts';
import { transactMessages } from '../platform/commands/transact.messages.ts';
import { Transition } from '../platform/commands/transition.entity.ts';
import { decimalMessages } from '../platform/decimal.messages.ts';
import { graphqlMessages } from '../platform/graphql/graphql.messages.ts';
import { KEYS } from '../platform/http/rest/idempotency.ts';
import { OPEN_STREAMS, openStreamReserved } from '../platform/http/shared-streams.ts';
import { platformMessages } from '../platform/i18n/platform.messages.ts';
import { DELIVERIES, outgoingMessageReserved, SENDING } from '../platform/outgoing/outgoing.ts';
import { SMS_CONSENT, smsConsentReserved } from '../platform/outgoing/sms-consent.ts';
import { archivedMessages } from '../platform/read/past/archived.ts';
import { asOfMessages } from '../platform/read/past/as-of.ts';
import { readMessages } from '../platform/read/read.messages.ts';
import { scalarsMessages } from '../platform/scalars.ts';
import { machineMessages } from '../platform/state/machine.messages.ts';
import { QUEUES_WATCH } from './queues.ts';

/** The entities of the platform. It is no room, and its lower floors may not import the higher ones, so it is listed here. */
export const entities = [AuditEntry, OutboxEvent, Transition];

/** The messages of the platform. */
export const messages = [
  authorizationMessages,
  transactMessages,
  decimalMessages,
  graphqlMessages,
  platformMessages,
  readMessages,
  asOfMessages,
  archivedMessages,
  scalarsMessages,
  machineMessages,
];

/** The platform's tasks across companies, and the tables that only they use. */
export const purposes = [
  ...[QUEUES_WATCH, KEYS, DELIVERIES, SENDING, outgoingMessageReserved, SMS_CONSENT, smsConsentReserved],
  ...[OPEN_STREAMS, openStreamReserved],
];
