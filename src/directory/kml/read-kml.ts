import sax from 'sax';
import { type Corner, MOST_CORNERS, polygonProblem } from '../sites/polygons.ts';

/** A place of a KML file: where it is, and its outline when it has one. */
export interface Placemark {
  name: string;
  description: string | null;
  /** Degrees as they were written, so that no digit is lost. */
  lon: string;
  lat: string;
  /** GeoJSON coordinates of its polygon. */
  polygon: Corner[][] | null;
}

/** A problem as a message key; `at` counts placemarks from 0. */
export interface KmlProblem {
  key: string;
  at?: number;
  params?: Record<string, number | string>;
}

/** Placemarks one file may have. */
const MOST_PLACEMARKS = 500;
const DEEPEST = 64;
/** The most problems reported of one file. */
const MOST_PROBLEMS = 20;
/** Parts of a placemark whose text is kept; what else a file says of styles and cameras is of no account. */
const KEPT = new Set(['name', 'description', 'coordinates']);

/** Aborts reading: what follows says nothing new. */
class Refused extends Error {
  // Written out: in tests Node runs this file directly and only strips its types.
  readonly problem: KmlProblem;

  constructor(problem: KmlProblem) {
    super(problem.key);
    this.problem = problem;
  }
}

interface Draft {
  name: string;
  description: string;
  point: string | null;
  rings: { text: string; inner: boolean }[];
}

/**
 * Reads the placemarks of a KML 2.x document: points, and polygons of one ring. Document types, and with them entities that grow, are
 * refused. Anything else that is not understood is skipped, but a placemark without a place is reported.
 */
export function readKml(text: string): { placemarks: Placemark[]; problems: KmlProblem[] } {
  const drafts: Draft[] = [];
  const path: string[] = [];
  let draft: Draft | undefined;
  let kept = '';
  const parser = sax.parser(true, { strictEntities: true });
  parser.onerror = () => {
    throw new Refused({ key: 'kml_malformed' });
  };
  parser.ondoctype = () => {
    throw new Refused({ key: 'kml_doctype' });
  };
  parser.onopentag = ({ name }) => {
    const local = localOf(name);
    if (path.length === 0 && local !== 'kml') throw new Refused({ key: 'kml_malformed' });
    if (path.push(local) > DEEPEST) throw new Refused({ key: 'kml_deep', params: { max: DEEPEST } });
    if (local === 'Placemark') {
      if (drafts.length === MOST_PLACEMARKS) throw new Refused({ key: 'kml_many', params: { max: MOST_PLACEMARKS } });
      draft = { name: '', description: '', point: null, rings: [] };
      drafts.push(draft);
    }
    kept = '';
  };
  const take = (piece: string) => {
    if (draft && KEPT.has(path.at(-1)!)) kept += piece;
  };
  parser.ontext = take;
  parser.oncdata = take;
  parser.onclosetag = () => {
    const local = path.pop();
    if (local === 'Placemark') draft = undefined;
    if (!draft || !local || !KEPT.has(local)) return;
    const parent = path.at(-1);
    if (local !== 'coordinates') {
      if (parent === 'Placemark') draft[local as 'name' | 'description'] = kept.trim();
    } else if (parent === 'Point') draft.point ??= kept;
    else if (parent === 'LinearRing' && path.includes('Polygon')) draft.rings.push({ text: kept, inner: path.includes('innerBoundaryIs') });
    kept = '';
  };
  try {
    parser.write(text).close();
  } catch (error) {
    // The parser throws its own words for what it cannot go on from.
    return { placemarks: [], problems: [error instanceof Refused ? error.problem : { key: 'kml_malformed' }] };
  }
  if (drafts.length === 0) return { placemarks: [], problems: [{ key: 'kml_empty' }] };
  const problems: KmlProblem[] = [];
  const placemarks = drafts.flatMap((one, at) => placemarkOf(one, at, problems) ?? []);
  return { placemarks, problems: problems.slice(0, MOST_PROBLEMS) };
}

const localOf = (name: string): string => name.slice(name.indexOf(':') + 1);

function placemarkOf(draft: Draft, at: number, problems: KmlProblem[]): Placemark | undefined {
  const { name, description, point } = draft;
  const report = (key: string): undefined => {
    problems.push({ key, at, params: { name: name || `${at + 1}`, max: MOST_CORNERS } });
  };
  if (name === '' || name.length > 255) return report('kml_name');
  if (draft.rings.length > 1) return report('polygon_holes');
  const ring = draft.rings[0] && tuplesOf(draft.rings[0].text);
  const corners = ring?.map(([lon, lat]): Corner => [Number(lon), Number(lat)]);
  if (ring) {
    const problem = polygonProblem([corners]);
    if (problem) return report(problem);
  }
  const place = point === null ? corners && middleOf(corners) : tuplesOf(point)[0];
  if (!place) return report('kml_no_place');
  const [lon, lat] = place;
  if (!(Math.abs(Number(lon)) <= 180 && Math.abs(Number(lat)) <= 90)) return report('kml_no_place');
  return { name, description: description.slice(0, 10_000) || null, lon, lat, polygon: corners ? [corners] : null };
}

const DEGREES = /^[+-]?\d{1,3}(\.\d{1,30})?$/;

/** `lon,lat[,height]` tuples between blanks; a tuple that is not plain numbers is `NaN`. */
function tuplesOf(text: string): [string, string][] {
  return text
    .trim()
    .split(/\s+/)
    .map((tuple): [string, string] => {
      const [lon = '', lat = ''] = tuple.split(',');
      return [DEGREES.test(lon) ? lon : 'NaN', DEGREES.test(lat) ? lat : 'NaN'];
    });
}

/** A place inside the box of a polygon, for a form to show it by. */
function middleOf(corners: readonly Corner[]): [string, string] {
  const middle = (of: 0 | 1) => {
    let [low, high] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
    for (const corner of corners) [low, high] = [Math.min(low, corner[of]), Math.max(high, corner[of])];
    return ((low + high) / 2).toFixed(9);
  };
  return [middle(0), middle(1)];
}
