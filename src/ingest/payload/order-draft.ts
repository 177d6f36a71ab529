import type { SiteType } from '../../directory/sites/site.entity.ts';
import type { PhaseValues } from '../../dispatch/fields/write-parts.ts';
import type { OrderState, WaypointType } from '../../dispatch/model/states.ts';
import type { Warning } from '../importer.ts';

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
  /** Ids of the sites it may be, if its sender is limited to some. */
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

/** Root columns that a payload may set, with the values of the row; absent ones are kept on a match. */
export type RootColumns = Record<string, string | number | boolean | null>;

/** A payload after it was read, with typed values and its warnings. */
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
  /** The supplier of the material. */
  supplier?: Named;
  dispatchNumber?: string;
  contacts: Partial<Record<'sales' | 'foreman' | 'supervisor' | 'collaborator', ContactDraft>>;
  phases?: PhaseValues[];
  truckCount?: number;
  root: RootColumns;
  warnings: Warning[];
}
