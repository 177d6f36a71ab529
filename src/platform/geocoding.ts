/** Degrees, WGS 84, as decimal texts. */
export interface Place {
  lat: string;
  lon: string;
}

/** Finds where an address is. */
export interface Geocoder {
  /** Undefined when nobody knows the address. @throws Error when the provider fails or is too slow */
  find(address: string): Promise<Place | undefined>;
}

export interface GeocoderOptions {
  provider: 'none' | 'openstreetmap' | 'google' | 'here' | 'mapbox' | 'opencage' | 'locationiq' | 'tomtom';
  /** API key of providers that want one. */
  key?: string;
  /** Base address of your own Nominatim server (openstreetmap). */
  url?: string;
  /** Milliseconds a provider may take for one address; 5,000 by default. */
  timeout?: number;
}

/** The configured provider, behind the node-geocoder library, which is loaded for it; undefined for `none`. */
export async function openGeocoder({ provider, key, url, timeout = 5_000 }: GeocoderOptions): Promise<Geocoder | undefined> {
  if (provider === 'none') return undefined;
  const { default: nodeGeocoder } = await import('node-geocoder');
  const client = nodeGeocoder({
    provider,
    apiKey: key,
    osmServer: url ?? 'https://nominatim.openstreetmap.org',
    fetch: (address: string, options: RequestInit) => ask(address, options, timeout),
  } as never);
  return {
    async find(address) {
      const [best] = await client.geocode(address);
      // Some answer with an address and no place, or with a place that is not on earth. Their answers are remembered.
      if (!best || !isDegree(best.latitude, 90) || !isDegree(best.longitude, 180)) return undefined;
      return { lat: String(best.latitude), lon: String(best.longitude) };
    },
  };
}

const isDegree = (given: unknown, most: number): boolean => given !== null && given !== '' && Math.abs(Number(given)) <= most;

/** The library accepts any answer as a good one and waits for ever. */
async function ask(address: string, options: RequestInit, timeout: number): Promise<Response> {
  const headers = { accept: 'application/json', 'user-agent': 'Haulgate' };
  const response = await fetch(address, { ...options, headers, signal: AbortSignal.timeout(timeout) });
  if (!response.ok) throw new Error(`the geocoding provider answered ${response.status}`);
  return response;
}
