import type { Credentials } from '../../../platform/http/remote.ts';

/** Where things are in the answers of a source: names of fields, with dots between those of nested ones. */
export interface Mapping {
  /** The list; without one, the answer itself is the list. */
  items?: string | null;
  key: string;
  time: string;
  lat: string;
  lon: string;
  name?: string | null;
  model?: string | null;
  licensePlate?: string | null;
  vin?: string | null;
  speed?: string | null;
  speedUnit?: SpeedUnit | null;
  bearing?: string | null;
  /** The address of the next page, or a text that is sent as `cursorParameter`. */
  next?: string | null;
  cursorParameter?: string | null;
}
export type SpeedUnit = 'meters_per_second' | 'kilometers_per_hour' | 'miles_per_hour';

/** Where and as whom a provider is read. */
export interface FleetConnection {
  /** Without a slash at its end; the provider's usual one unless a fleet has its own. */
  server: string;
  account: string | null;
  mapping: Mapping | null;
  credentials: Credentials;
}

/** A vehicle or machine of a provider. */
export interface RemoteVehicle {
  key: string;
  name?: string | null;
  model?: string | null;
  licensePlate?: string | null;
  vin?: string | null;
}

/** Where a vehicle was. */
export interface RemotePosition {
  key: string;
  occurredAt: Date;
  /** Degrees, WGS 84, as text. */
  lat: string;
  lon: string;
  /** Metres per second. */
  speed: number | null;
  /** Degrees clockwise from north. */
  bearing: number | null;
}

/** The result of one request to a provider. */
export interface FleetPage {
  vehicles: RemoteVehicle[];
  positions: RemotePosition[];
  /** Positions that cannot be: of no place on earth, or of no time. */
  unusable: number;
  /** Where the next request goes on; null from the beginning. */
  cursor: string | null;
  /** Whether the provider has more right now. */
  more: boolean;
}

/** The settings of a request. */
export interface FleetCall {
  /** Refuses private addresses, redirects, long answers and slow ones. */
  fetch: typeof fetch;
  /** The result of a log-in, until the process ends or the provider ends it. */
  session: { value?: string };
  /** The vehicles, once they were listed for the pages of this poll. */
  listed?: RemoteVehicle[];
  now: Date;
}

/** A telematics provider. An adapter keeps nothing of a fleet but what is in the call. */
export interface FleetProvider {
  /** The address of its interface; without one, each fleet has to name it. */
  server?: string;
  /** The credentials that it requires; the fleets of a provider that also sends may have none. */
  requires: readonly (keyof Credentials | 'account' | 'mapping')[];
  /** Either of these credentials, in addition. */
  either?: readonly (readonly (keyof Credentials)[])[];
  /** Whether it sends positions to us, so that a fleet may be without credentials. */
  pushes?: boolean;
  /** Seconds between two polls: at least, and unless a fleet says otherwise. */
  seconds: { least: number; usual: number };
  /** Reads the next page. @throws ProviderError for answers that are none */
  read(connection: FleetConnection, cursor: string | null, call: FleetCall): Promise<FleetPage>;
  /** Lists the vehicles with plates and VINs, where positions come without. @throws ProviderError */
  vehicles?(connection: FleetConnection, call: FleetCall): Promise<RemoteVehicle[]>;
}

/** A page without anything. */
export const emptyPage = (): FleetPage => ({ vehicles: [], positions: [], unusable: 0, cursor: null, more: false });
