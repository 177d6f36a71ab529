import { Entity, Property } from '@mikro-orm/decorators/legacy';
import { Field, ObjectType } from 'type-graphql';
import { Audited } from '../../platform/commands/audit.ts';
import { Choice, Instant, RecordBase, stringEnum, Text, Uuid, Whole } from '../../platform/model/columns.ts';
import { Computed, Tenant } from '../../platform/model/decorators.ts';
import { connectionOf } from '../../platform/read/connection.ts';
import { Json } from '../../platform/scalars.ts';
import { pushUrl } from './push-url.ts';

/** The permission to read and change fleets, and to say which equipment a vehicle is. */
export const MANAGES_FLEETS = 'edit_telematics_remote_vehicles';

export const TelematicsProvider = stringEnum(
  'TelematicsProvider',
  ['samsara', 'geotab', 'verizon_reveal', 'iso_15143', 'http_json'],
  'Providers of positions of trucks and machines. `iso_15143` is ISO 15143-3 (AEMP 2.0), `http_json` any list in JSON.',
);
export type TelematicsProvider = keyof typeof TelematicsProvider;

/** The only values that the public API knows; the provider itself is in `provider`. */
export const TelematicsProviderSource = stringEnum(
  'TelematicsProviderSource',
  ['axle', 'paver_tracker'],
  'Kinds of sources: `paver_tracker` for machines of moving sites, `axle` for everything else.',
);
export type TelematicsProviderSource = keyof typeof TelematicsProviderSource;

export const TelematicsFleetState = stringEnum(
  'TelematicsFleetState',
  ['connected', 'failing', 'paused'],
  'States of a fleet: `failing` since the provider could not be read, `paused` by a person.',
);
export type TelematicsFleetState = keyof typeof TelematicsFleetState;

/** A company's account at a telematics provider. Its credentials are in `telematics_secret`, sealed. */
@Entity()
@Audited()
@Tenant()
@ObjectType({ simpleResolvers: true, description: 'The account of a company at a telematics provider.' })
export class TelematicsFleet extends RecordBase {
  @Uuid({ required: true }) companyId!: string;
  @Text({ required: true }) name!: string;
  @Choice(() => TelematicsProvider, { required: true, description: 'The provider of the interface.' }) provider!: TelematicsProvider;
  @Choice(() => TelematicsProviderSource, { required: true, description: 'The kind of source, as the public API knows it.' })
  providerSource!: TelematicsProviderSource;
  @Text({ description: "The provider's id of the fleet." }) externalRemoteFleetId?: string | null;
  @Text({ description: "Address of the provider's interface; null for the usual one, and where the provider only sends." })
  server?: string | null;
  @Text({ description: "Geotab: the database. Verizon Reveal: the id of the application at the provider's." }) account?: string | null;
  @Property({ type: 'json', columnType: 'jsonb', nullable: true })
  @Field(() => Json, { nullable: true, description: 'Where positions are in the answers of a source of the kind `http_json`.' })
  mapping?: object | null;
  @Whole({ required: true, description: 'Seconds between two polls.' }) pollSeconds!: number;
  @Choice(() => TelematicsFleetState, { required: true }) state: TelematicsFleetState = 'connected';
  @Text({ description: 'Why the provider could not be read last; null if it could.' }) lastError?: string | null;
  @Instant({ description: 'When the provider was read last, or sent positions last.' }) lastPolledAt?: Date | null;
  @Instant({ description: 'The time of the newest position.' }) lastPositionAt?: Date | null;
  @Instant({ description: 'Since when the provider cannot be read.' }) failingSince?: Date | null;
  @Instant({ description: 'When the provider is read next; null while paused, and where the provider only sends.' })
  nextPollAt?: Date | null;
  /** When we asked the provider last, whatever it answered. */
  @Instant({ hidden: true }) lastAskedAt?: Date | null;
  @Instant({ hidden: true }) notifiedAt?: Date | null;
  @Whole({ required: true, hidden: true }) revision: number = 1;
  @Text({ hidden: true }) cursor?: string | null;
  @Whole({ required: true, hidden: true }) attempts: number = 0;
  @Instant({ hidden: true }) vehiclesListedAt?: Date | null;

  @Field(() => String, {
    nullable: true,
    description: 'Verizon Reveal: where the provider sends positions to, with the id of the fleet as user name (HTTP Basic).',
  })
  @Computed({
    columns: ['id', 'provider'],
    compute: (row, application) => (row.provider === 'verizon_reveal' ? pushUrl(application, String(row.id)) : null),
  })
  pushUrl!: string | null;
}

export const TelematicsFleetConnection = connectionOf('TelematicsFleet', () => TelematicsFleet);
