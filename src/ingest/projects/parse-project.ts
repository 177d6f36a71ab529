import { PROJECT_FIELDS } from '../../dispatch/fields/work-fields.ts';
import type { PhaseValues } from '../../dispatch/fields/write-parts.ts';
import { UpdateProjectInput } from '../../dispatch/projects/project.inputs.ts';
import { datesOutOfOrder } from '../../dispatch/projects/project.messages.ts';
import type { Warning } from '../importer.ts';
import type { Nested } from '../nested/nested.ts';
import { LIMITS, rootLimits } from '../payload/limits.ts';
import type { ContactDraft, Named, RootColumns } from '../payload/order-draft.ts';
import { type Parsed, parsedBy } from '../payload/parsed.ts';
import { type Json, PayloadReader } from '../payload/payload-reader.ts';
import { readContacts, readPeople } from '../payload/read-people.ts';
import { readPhases } from '../payload/read-phases.ts';
import { onePerWaypoint, readSites } from '../payload/read-sites.ts';
import { rootFieldsOf } from '../payload/root-fields.ts';
import { warnOfUnits } from '../payload/unit-warnings.ts';
import { fieldsOf, warnOfUnknownFields } from '../payload/unknown-fields.ts';

/** The quantity of a material that a project is about. */
export interface MaterialDraft extends Named {
  totalQuantity: string | null;
  unitOfMeasure: string | null;
}

/** A payload after it was read, with typed values and its warnings. */
export interface ProjectDraft extends Nested {
  externalId: string;
  /** Undefined if the payload has none. */
  name?: string;
  /** Undefined keeps the instant, null clears it. */
  effectiveAt?: Date | null;
  expiresAt?: Date | null;
  dispatchNumber?: string;
  /** Name of one of the company's services. */
  service?: string;
  contacts: Partial<Record<'sales' | 'foreman' | 'supervisor' | 'collaborator', ContactDraft>>;
  /** The whole list: phases that are missing here are removed (SPEC). */
  phases: PhaseValues[];
  materials: MaterialDraft[];
  root: RootColumns;
  warnings: Warning[];
}

const ROOT = rootFieldsOf(PROJECT_FIELDS);
const ROOT_LIMITS = rootLimits(UpdateProjectInput, ['external_id', 'name', ...ROOT.texts, ...ROOT.decimals, ...ROOT.wholes]);
const FIELDS = fieldsOf(ROOT, [
  ...['external_id', 'name', 'effective_at', 'expires_at', 'service', 'dispatch_number', 'metadata'],
  ...['customer', 'equipment_type', 'sites', 'phases', 'materials', 'foremen', 'collaborators', 'salespeople'],
]);

/**
 * Reads one project payload (SPEC "POST /ingest/projects").
 * @param zone the company's, for instants without an offset
 * @param region ISO country for telephone numbers without a country code
 */
export function parseProject(payload: Json, zone: string, region: 'US' | 'CA'): Parsed<ProjectDraft> {
  const reader = new ProjectReader(payload, zone, region);
  return parsedBy(reader, reader.read());
}

class ProjectReader extends PayloadReader {
  readonly limits = ROOT_LIMITS;

  read(): ProjectDraft {
    warnOfUnknownFields(this.payload, FIELDS, this.warnings);
    const externalId = this.required('external_id', this.limits.external_id);
    const customer = this.requiredCustomer();
    return {
      externalId: externalId ?? '',
      name: this.text(this.payload.name, '/name', this.limits.name),
      ...this.#dates(),
      customer,
      equipmentType: this.named('equipment_type'),
      sites: this.#sites(),
      foremen: readPeople(this, 'foremen'),
      collaborators: readPeople(this, 'collaborators'),
      salespeople: readPeople(this, 'salespeople'),
      vendors: [],
      dispatchNumber: this.dispatchNumber(),
      service: this.text(this.payload.service, '/service'),
      contacts: readContacts(this),
      phases: readPhases(this) ?? [],
      materials: this.#materials(),
      root: this.#root(),
      warnings: this.warnings,
    };
  }

  #dates(): Pick<ProjectDraft, 'effectiveAt' | 'expiresAt'> {
    const effectiveAt = this.#instant('effective_at');
    const expiresAt = this.#instant('expires_at');
    // SPEC: strictly before. A sender with equal dates leaves the second one out.
    if (effectiveAt && expiresAt && effectiveAt >= expiresAt)
      this.problems.push({
        code: 'effective_not_before_expires',
        pointer: '/expires_at',
        ...datesOutOfOrder('expires', effectiveAt, expiresAt),
      });
    return { effectiveAt, expiresAt };
  }

  #sites(): ProjectDraft['sites'] {
    const located = readSites(this).filter((site) => {
      const isSomewhere = site.fullAddress !== undefined || site.lat !== undefined;
      // SPEC: a project's site requires an address or both coordinates; without them it is dropped, and the project succeeds.
      if (!isSomewhere) this.warn('site_without_location', site.pointer, site.name ?? site.externalId);
      return isSomewhere;
    });
    return onePerWaypoint(this, located);
  }

  #root(): RootColumns {
    const root = { ...this.columns(ROOT), ...this.cleared(['equipment_type', 'dispatch_number', 'service']) };
    warnOfUnits(this, root, ['load_unit_of_measure', 'order_unit_of_measure']);
    return root;
  }

  /** A blank text empties a date, as it empties any other text. */
  #instant(field: string): Date | null | undefined {
    const given = this.payload[field];
    return given === null || (typeof given === 'string' && given.trim() === '') ? null : this.instant(field);
  }

  #materials(): MaterialDraft[] {
    return this.list('materials').flatMap((value, i): MaterialDraft[] => {
      const pointer = `/materials/${i}`;
      const before = this.problems.length;
      const named = this.namedOf(value, pointer, LIMITS.materials);
      if (!named) {
        if (this.problems.length === before && value !== null && typeof value === 'object' && !Array.isArray(value))
          this.missing(`${pointer}/external_id`);
        return [];
      }
      const given = typeof value === 'object' && value !== null ? (value as Json) : {};
      const unit = this.text(given.unit_of_measure, `${pointer}/unit_of_measure`);
      return [
        {
          ...named,
          totalQuantity: this.decimal(given.total_quantity, `${pointer}/total_quantity`, LIMITS.totalQuantity, unit),
          unitOfMeasure: unit === undefined ? null : this.unit(unit, `${pointer}/unit_of_measure`),
        },
      ];
    });
  }
}
