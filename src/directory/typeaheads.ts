import { connectionOf } from '../platform/read/connection.ts';
import { defineFilters, defineSearch, defineSorts } from '../platform/read/grammar.ts';
import { Material } from './named.entities.ts';
import { Site } from './site.entity.ts';

export const SiteConnection = connectionOf('Site', () => Site);
export const MaterialConnection = connectionOf('Material', () => Material);

for (const entity of [Site, Material]) {
  defineFilters(entity, {
    states: { sql: (t, p) => `${t}.state = any(${p})`, cast: 'text[]' },
    // Discarded records are kept for what was done with them, and offered for nothing new.
    usable: { sql: (t, p) => `(${t}.discarded_at is null) = ${p}`, cast: 'boolean' },
  });
  defineSorts(entity, { name: { sql: (t) => `${t}.name`, cast: 'text' } });
}
defineSearch(Site, (t, p) => `${t}.name ilike ${p} or ${t}.external_id ilike ${p} or ${t}.full_address ilike ${p}`);
/** DOMAIN section 7: name, external_id, type name. */
defineSearch(
  Material,
  (t, p) =>
    `${t}.name ilike ${p} or ${t}.external_id ilike ${p} or exists (select 1 from material_type y where y.id = ${t}.material_type_id and y.name ilike ${p})`,
);
