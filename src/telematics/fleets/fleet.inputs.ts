import { ArgsType, Field, ID, InputType, Int } from 'type-graphql';
import { MasterSearch } from '../../directory/master-data/master-data.resolver.ts';
import { Length, OneOf, Range } from '../../platform/graphql/rules.ts';
import type { Credentials } from '../../platform/http/remote.ts';
import { About } from '../../platform/model/about.ts';
import { PageArgs } from '../../platform/read/connection.ts';
import { WholeNumber } from '../../platform/scalars.ts';
import type { Mapping, SpeedUnit } from './providers/provider.ts';
import { TelematicsProvider, TelematicsProviderSource } from './telematics-fleet.entity.ts';

const optional = { nullable: true };
const NAME = 255;
const URL_LENGTH = 2_000;
const SECRET = 4_000;
const FIELD = 200;
const DAY = 86_400;

@InputType({ description: 'The credentials with which a provider lets you in. They are stored sealed, and never returned.' })
@About('TelematicsFleet')
export class TelematicsCredentialsInput implements Credentials {
  @Field(() => String, { nullable: true, description: 'The name of the user at the provider.' }) @Length(1, NAME) username?: string | null;
  @Field(() => String, optional) @Length(1, SECRET) password?: string | null;
  @Field(() => String, { nullable: true, description: 'A key of the interface, or a bearer token.' }) @Length(1, SECRET) token?:
    | string
    | null;
}

@InputType({
  description:
    'Where positions are in the answers of a source: names of fields, with dots between those of nested ones (`position.latitude`).',
})
@About('TelematicsFleet')
export class TelematicsMappingInput implements Mapping {
  @Field(() => String, { nullable: true, description: 'The list; without it, the answer itself is the list.' }) @Length(1, FIELD) items?:
    | string
    | null;
  @Field(() => String, { description: 'The id of the vehicle.' }) @Length(1, FIELD) key!: string;
  @Field(() => String, { description: 'The time of the position, in ISO 8601; without an offset it is UTC.' })
  @Length(1, FIELD)
  time!: string;
  @Field(() => String, { description: 'The latitude.' }) @Length(1, FIELD) lat!: string;
  @Field(() => String, { description: 'The longitude.' }) @Length(1, FIELD) lon!: string;
  @Field(() => String, { nullable: true, description: 'The name of the vehicle.' }) @Length(1, FIELD) name?: string | null;
  @Field(() => String, { nullable: true, description: 'The model of the vehicle.' }) @Length(1, FIELD) model?: string | null;
  @Field(() => String, { nullable: true, description: 'The plate of the vehicle.' }) @Length(1, FIELD) licensePlate?: string | null;
  @Field(() => String, { nullable: true, description: 'The vehicle identification number.' }) @Length(1, FIELD) vin?: string | null;
  @Field(() => String, { nullable: true, description: 'The speed.' }) @Length(1, FIELD) speed?: string | null;
  @Field(() => String, { nullable: true, description: 'By default, meters per second.' })
  @OneOf(['meters_per_second', 'kilometers_per_hour', 'miles_per_hour'])
  speedUnit?: SpeedUnit | null;
  @Field(() => String, { nullable: true, description: 'Degrees clockwise from north.' }) @Length(1, FIELD) bearing?: string | null;
  @Field(() => String, { nullable: true, description: 'The address of the next page, or what is sent as `cursorParameter`.' })
  @Length(1, FIELD)
  next?: string | null;
  @Field(() => String, { nullable: true, description: 'The parameter of the query by which the next poll goes on.' })
  @Length(1, FIELD)
  cursorParameter?: string | null;
}

/** The fields that may be changed later; the provider may not. */
@InputType()
export class UpdateTelematicsFleetInput {
  @Field(() => String, optional) @Length(1, NAME) name?: string | null;
  @Field(() => TelematicsProviderSource, {
    nullable: true,
    description: 'By default, `paver_tracker` for machines (ISO 15143-3), otherwise `axle`.',
  })
  providerSource?: TelematicsProviderSource | null;
  @Field(() => String, { nullable: true, description: "The provider's id of the fleet." }) @Length(1, NAME) externalRemoteFleetId?:
    | string
    | null;
  @Field(() => String, { nullable: true, description: "Address of the provider's interface; null for the usual one." })
  @Length(1, URL_LENGTH)
  server?: string | null;
  @Field(() => String, {
    nullable: true,
    description: "Geotab: the database. Verizon Reveal: the id of the application at the provider's.",
  })
  @Length(1, NAME)
  account?: string | null;
  @Field(() => TelematicsCredentialsInput, {
    nullable: true,
    description: 'Replaces the stored ones. A change of `server` or `account` requires them anew.',
  })
  credentials?: TelematicsCredentialsInput | null;
  @Field(() => TelematicsMappingInput, { nullable: true, description: 'Only of sources of the kind `http_json`.' })
  mapping?: TelematicsMappingInput | null;
  @Field(() => Int, { nullable: true, description: 'Seconds between two polls; providers have a least.' })
  @Range(5, DAY)
  pollSeconds?: number | null;
}

@InputType()
@About('TelematicsFleet')
export class ConnectTelematicsFleetInput extends UpdateTelematicsFleetInput {
  @Field(() => String) @Length(1, NAME) declare name: string;
  @Field(() => TelematicsProvider, { description: 'The provider of the interface.' }) provider!: TelematicsProvider;
}

@InputType()
export class UpdateTelematicsRemoteVehicleInput {
  @Field(() => ID, { nullable: true, description: 'The fleet that it is in; another one is refused.' }) telematicsFleetId?: string | null;
  @Field(() => ID, { nullable: true, description: 'The equipment that it is; null for none.' }) equipmentId?: string | null;
  @Field(() => WholeNumber, { nullable: true, description: 'Not negative.' }) @Range(0, Number.MAX_SAFE_INTEGER) remoteVehicleExternalId?:
    | number
    | null;
  @Field(() => String, { nullable: true, description: 'The name by which it is known here.' }) @Length(1, NAME) remoteVehicleExternalName?:
    | string
    | null;
  @Field(() => String, { nullable: true, description: 'Make and model.' }) @Length(0, NAME) remoteVehicleExternalModel?: string | null;
  @Field(() => String, { nullable: true, description: 'The licence plate.' }) @Length(0, NAME) remoteVehicleExternalLicensePlateNumber?:
    | string
    | null;
}

@ArgsType()
export class TelematicsFleetArgs extends PageArgs {
  @Field(() => ID, { nullable: true }) companyId?: string | null;
}

@ArgsType()
export class RemoteVehicleArgs extends PageArgs {
  @Field(() => ID, { description: 'The fleet whose vehicles are listed.' }) fleetId!: string;
  @Field(() => MasterSearch, { nullable: true }) search?: MasterSearch | null;
}
