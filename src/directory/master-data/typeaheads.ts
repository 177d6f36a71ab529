import { connectionOf } from '../../platform/read/connection.ts';
import { defineFilters, defineSearch, defineSearchText } from '../../platform/read/grammar.ts';
import { Site } from '../sites/site.entity.ts';
import { nameSort } from './master-data.resolver.ts';
import { Material } from './named.entities.ts';

export const SiteConnection = connectionOf('Site', () => Site);
export const MaterialConnection = connectionOf('Material', () => Material);

export const typeaheadLists = [Site, Material].flatMap((entity) => [
  defineFilters(entity, {
    states: { sql: (t, p) => `${t}.state = any(${p})`, cast: 'text[]' },
    // Discarded records are kept for what was done with them, and offered for nothing new.
    usable: { sql: (t, p) => `(${t}.discarded_at is null) = ${p}`, cast: 'boolean' },
  }),
  nameSort(entity),
]);
export const siteSearchText = defineSearchText(Site, 'site');
/** DOMAIN section 7: name, external_id, type name. */
export const materialSearch = defineSearch(
  Material,
  (t, p) =>
    `fold(${t}.name) like fold(${p}) or fold(${t}.external_id) like fold(${p})
      or exists (select 1 from material_type y where y.id = ${t}.material_type_id and fold(y.name) like fold(${p}))`,
);
