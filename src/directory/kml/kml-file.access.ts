import { defineAccess } from '../../platform/read/access.ts';
import { KmlFile } from './kml-file.entity.ts';

export const kmlFileAccess = defineAccess(KmlFile, {
  // Its text names places and outlines of whatever sites, so that people who are limited to some sites read none.
  sites: (_t, p) => `${p} is null`,
});
