/** A row of aggregate-sites.csv: an operation that the Mine Safety and Health Administration inspects. */
export interface Mine {
  mine_id: string;
  name: string;
  commodity: string;
  status: string;
  type: string;
  street: string;
  city: string;
  state: string;
  zip: string;
  lat: string;
  lon: string;
}

/** Returns the body that creates a site, and whether it is active: closed and idle operations are kept, but not offered. */
export function siteOf(mine: Mine) {
  const { street, city, state, zip, lat, lon } = mine;
  const located = lat !== '' && lon !== '';
  const complete = street !== '' && city !== '' && state !== '' && zip !== '';
  return {
    active: ['Active', 'Intermittent', 'NonProdActive', 'NewMine'].includes(mine.status),
    body: {
      name: mine.name,
      external_id: `MSHA-${mine.mine_id}`,
      site_type: mine.type === 'Facility' ? 'Plant' : 'Quarry',
      notes: mine.commodity,
      lat: located ? lat : null,
      lon: located ? lon : null,
      // Half an address is no address, but helps a driver more than none.
      ...(complete
        ? { address: { thoroughfare: street, locality: city, administrative_area: state, postal_code: zip, country: 'US' } }
        : { full_address: [street, city, state, zip].filter(Boolean).join(', ') }),
    },
  };
}
