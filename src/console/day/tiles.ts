/** Where map tiles come from, if the operator configured a server of them (`HAULGATE_TILE_URL`). */
export interface Tiles {
  url: (tile: { level: number; column: number; row: number }) => string;
  attribution: string;
}

const saidBy = (name: string): string => document.querySelector<HTMLMetaElement>(`meta[name="haulgate-${name}"]`)?.content ?? '';

/** Returns the server of tiles that the page names; undefined without one: then nothing is loaded from elsewhere. */
export function configuredTiles(): Tiles | undefined {
  const template = saidBy('tiles');
  if (!template) return undefined;
  return {
    url: ({ level, column, row }) => template.replace('{z}', String(level)).replace('{x}', String(column)).replace('{y}', String(row)),
    attribution: saidBy('tiles-attribution'),
  };
}
