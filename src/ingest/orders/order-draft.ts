import type { SiteType } from '../../directory/sites/site.entity.ts';
import type { PhaseValues } from '../../dispatch/fields/write-parts.ts';
import type { OrderState, WaypointType } from '../../dispatch/model/states.ts';
import type { Failure, Warning } from '../importer.ts';

/** A nested record as a payload names it. */
export interface Named {
  pointer: string;
  externalId?: string;
  name?: string;
}

export interface SiteDraft extends Named {
  waypoint: WaypointType;
  siteType: SiteType;
  fullAddress?: string;
  lat?: string;
  lon?: string;
  /** Ids of the sites it may be, where its sender is limited to some. */
  open?: ReadonlySet<string>;
}

export interface PersonDraft {
  pointer: string;
  externalId?: string;
  firstName?: string;
  lastName?: string;
  email?: string;
  phone?: string;
}

export interface ContactDraft {
  name: string | null;
  email: string | null;
  phone: string | null;
}

/** Root columns a payload may set; absent ones stay as they are on a match. Column name -> value as it goes into the row. */
export type RootColumns = Record<string, string | number | boolean | null>;

/** One payload, read: everything typed, everything odd noted. */
export interface OrderDraft {
  externalId: string;
  loadAt: Date;
  state?: OrderState;
  customer: Named;
  material?: Named;
  equipmentType?: Named;
  service?: string;
  sites: SiteDraft[];
  foremen: PersonDraft[];
  collaborators: PersonDraft[];
  salespeople: PersonDraft[];
  vendors: Named[];
  dispatchNumber?: string;
  contacts: Partial<Record<'sales' | 'foreman' | 'supervisor' | 'collaborator', ContactDraft>>;
  phases?: PhaseValues[];
  truckCount?: number;
  root: RootColumns;
  warnings: Warning[];
}

export type Parsed = { draft: OrderDraft; failure?: undefined } | { draft?: undefined; failure: Failure };
