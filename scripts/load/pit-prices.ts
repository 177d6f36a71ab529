import { parse } from 'csv-parse/sync';
import type { Office } from './office.ts';

/** A line of the sheet: the price of a ton of a material at a pit. */
export interface PitPrice {
  pit: string;
  address: string;
  material: string;
  /** US dollars, exact. */
  price: string;
  lat: string;
  lon: string;
}

/** The numbers of records that were created, that were changed, and that existed before. */
export interface Loaded {
  sites: number;
  materials: number;
  prices: number;
  changed: number;
  same: number;
}

const HEADER = ['pit', 'address', 'material', 'price_per_ton_usd', 'lat', 'lon'];
const NUMBER = /^-?\d+(\.\d+)?$/;

/** Reads the sheet; blanks around names are left out. @throws Error naming the lines that cannot be read */
export function readPitPrices(csv: string): PitPrice[] {
  const [header, ...lines] = parse(csv, { bom: true, trim: true, skip_empty_lines: true }) as string[][];
  if (header?.join() !== HEADER.join()) throw new Error(`the first line is not ${HEADER.join()}`);
  const wrong: string[] = [];
  const prices = lines.map(([pit = '', address = '', material = '', price = '', lat = '', lon = ''], i) => {
    if (!pit || !material || ![price, lat, lon].every((number) => NUMBER.test(number))) wrong.push(`line ${i + 2}`);
    return { pit, address, material, price, lat, lon };
  });
  if (wrong.length > 0) throw new Error(`cannot be read: ${wrong.join(', ')}`);
  return prices;
}

type Named = { id: string; name: string; external_id: string | null };
type Priced = { id: string; buy_price: string | null; material: { id: string }; site: { id: string } | null };

/**
 * Creates pits as sites, their materials as materials, and their prices as material rates per ton at the site. Existing records are found
 * (sites by external id, materials by name) and only their price is changed, so that a sheet may be loaded again.
 */
export async function loadPitPrices(office: Office, prices: readonly PitPrice[]): Promise<Loaded> {
  const loaded: Loaded = { sites: 0, materials: 0, prices: 0, changed: 0, same: 0 };
  const sites = new Map((await office.all<Named>('/v1/sites')).map((site) => [site.external_id, site.id]));
  const materials = new Map((await office.all<Named>('/v1/materials')).map((material) => [keyOf(material.name), material.id]));
  const known = new Map((await office.all<Priced>('/v1/material_rates')).map((rate) => [`${rate.material.id} ${rate.site?.id}`, rate]));
  for (const { pit, address, material, price, lat, lon } of prices) {
    // Two pits may be at one address; their names distinguish them.
    const externalId = `pit:${keyOf(pit)}`;
    if (!sites.has(externalId)) {
      const body = { name: pit, full_address: address, lat, lon, external_id: externalId };
      sites.set(externalId, (await office.create<Named>('/v1/sites', body)).id);
      loaded.sites++;
    }
    if (!materials.has(keyOf(material))) {
      materials.set(keyOf(material), (await office.create<Named>('/v1/materials', { name: material })).id);
      loaded.materials++;
    }
    const [material_id, site_id] = [materials.get(keyOf(material))!, sites.get(externalId)!];
    const rate = known.get(`${material_id} ${site_id}`);
    if (!rate) {
      const body = { material_id, site_id, buy_price: price, unit_of_measure: 'Ton' };
      known.set(`${material_id} ${site_id}`, await office.create<Priced>('/v1/material_rates', body));
      loaded.prices++;
    } else if (Number(rate.buy_price) === Number(price)) loaded.same++;
    else {
      await office.change(`/v1/material_rates/${rate.id}`, { buy_price: price });
      rate.buy_price = price;
      loaded.changed++;
    }
  }
  return loaded;
}

const keyOf = (name: string): string => name.trim().toLowerCase();
