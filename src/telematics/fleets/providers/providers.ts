import type { TelematicsProvider } from '../telematics-fleet.entity.ts';
import { geotab } from './geotab.ts';
import { httpJson } from './http-json.ts';
import { iso15143 } from './iso-15143.ts';
import type { FleetProvider } from './provider.ts';
import { samsara } from './samsara.ts';
import { verizonReveal } from './verizon-reveal.ts';

/** The adapters, by the names of their providers. */
export const PROVIDERS: Readonly<Record<TelematicsProvider, FleetProvider>> = {
  samsara,
  geotab,
  verizon_reveal: verizonReveal,
  iso_15143: iso15143,
  http_json: httpJson,
};
