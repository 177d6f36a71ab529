import { follow } from '../server/follow.ts';
import { ask } from '../server/request.ts';

/** A place, in degrees. */
export interface Place {
  lat: number;
  lon: number;
}

/** A site with its geofence, if it has one. */
export interface MapSite extends Place {
  id: string;
  name: string;
  /** Metres around `centre`. */
  circle?: { centre: Place; radius: number };
  /** The corners of its polygons. */
  rings: Place[][];
}

/** A job of the day; the names are the schema's. */
export interface DayJob {
  id: string;
  jobId: string;
  state: string;
  jobStartAt: string;
  pausedAt: string | null;
  completedLoadsCount: number;
  loadsCount: number;
  driver: { firstName: string; lastName: string } | null;
  equipment: { name: string } | null;
  order: { orderId: string; account: { name: string } | null };
  waypoints: { type: string; site: { id: string; name: string } }[];
}

export interface DayState {
  state: string;
  count: number;
  jobs: DayJob[];
}

/** Where the truck of a job under way was last. */
export interface Truck extends Place {
  jobId: string;
  name: string;
  occurredAt: string;
  /** Clockwise from north. */
  bearing: number | null;
}

export interface DayNow {
  date: string;
  timeZone: string;
  /** Whether it is today where the company is. */
  today: boolean;
  states: DayState[];
  /** When the server was asked. */
  at: Date;
}

interface Answer {
  currentSandbox: { time: string } | null;
  dayBoard: { date: string; timeZone: string; startsAt: string; endsAt: string; jobsByState: DayState[] };
}

/** Returns the jobs of a day as they are now. @param date `YYYY-MM-DD`; today if it is empty */
export async function readDay(date: string, company: string): Promise<DayNow> {
  const { dayBoard, currentSandbox } = await ask<Answer>(
    `query($company: ID, $date: Date) {
      dayBoard(companyId: $company, date: $date) { date timeZone startsAt endsAt jobsByState { state count jobs { id jobId state jobStartAt pausedAt
        completedLoadsCount loadsCount driver { firstName lastName } equipment { name } order { orderId account { name } } waypoints { type site { id name } } } } }
      currentSandbox { time } }`,
    { company: company || null, date: date || null },
  );
  // A sandbox has a clock of its own.
  const at = currentSandbox ? new Date(currentSandbox.time) : new Date();
  return {
    ...{ date: dayBoard.date, timeZone: dayBoard.timeZone, states: dayBoard.jobsByState, at },
    today: Date.parse(dayBoard.startsAt) <= at.getTime() && at.getTime() < Date.parse(dayBoard.endsAt),
  };
}

interface LocationAnswer {
  jobId: string | null;
  lat: string;
  lon: string;
  occurredAt: string;
  bearing: string | null;
  driver: { firstName: string; lastName: string } | null;
  equipment: { name: string } | null;
}

/** Returns where the trucks of all jobs under way are now. */
export async function readTrucks(company: string): Promise<Truck[]> {
  const { latestLocations } = await ask<{ latestLocations: LocationAnswer[] }>(
    `query($company: ID) { latestLocations(companyId: $company) { jobId lat lon occurredAt bearing driver { firstName lastName } equipment { name } } }`,
    { company: company || null },
  );
  return latestLocations.flatMap(({ jobId, lat, lon, occurredAt, bearing, driver, equipment }) =>
    jobId
      ? [
          {
            ...{ jobId, lat: Number(lat), lon: Number(lon), occurredAt, bearing: bearing === null ? null : Number(bearing) },
            name: equipment?.name ?? (driver ? `${driver.firstName} ${driver.lastName}`.trim() : 'truck'),
          },
        ]
      : [],
  );
}

/** Calls `changed` whenever something on the board may be another. @returns what ends it */
export const followDay = (date: string, company: string, changed: () => void): (() => void) =>
  follow(
    'subscription($company: ID, $date: Date) { dayBoardChanged(companyId: $company, date: $date) { date } }',
    { company: company || null, date: date || null },
    changed,
  );

/** Milliseconds between two looks at the trucks: each driver who moves is said by itself. */
const MOVES_EVERY = 1_000;

/**
 * Calls `changed` when drivers of the company have moved: at once, and then at most once a second. Those of vendors are in no subscription of the company;
 * whoever reads again and again sees them, too. @returns what ends it
 */
export function followTrucks(company: string, changed: () => void): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let more = false;
  const moved = () => {
    more = timer !== undefined;
    if (more) return;
    timer = setTimeout(() => {
      timer = undefined;
      if (more) moved();
    }, MOVES_EVERY);
    changed();
  };
  const end = follow('subscription($company: ID) { driverMoved(companyId: $company) { id } }', { company: company || null }, moved);
  return () => {
    clearTimeout(timer);
    end();
  };
}

interface SiteAnswer {
  id: string;
  name: string;
  lat: string | null;
  lon: string | null;
  routingGeofence: {
    geofence: {
      circleCenter: Place | null;
      circleRadius: number | null;
      geojson: { type: string; coordinates: unknown } | null;
    } | null;
  } | null;
}

/** Returns the sites at which jobs of the day stop, with their geofences. Sites without coordinates are left out. */
export async function readSites(jobIds: readonly string[], company: string): Promise<MapSite[]> {
  const sites = new Map<string, MapSite>();
  // Each request names at most a page of jobs.
  for (let from = 0; from < jobIds.length; from += 100) {
    const { jobs } = await ask<{ jobs: { nodes: { waypoints: { site: SiteAnswer }[] }[] } }>(
      `query($company: ID, $filter: JobFilter) { jobs(first: 100, companyId: $company, filter: $filter) { nodes { waypoints { site {
        id name lat lon routingGeofence { geofence { circleCenter { lat lon } circleRadius geojson } } } } } } }`,
      { company: company || null, filter: { ids: jobIds.slice(from, from + 100) } },
    );
    for (const { waypoints } of jobs.nodes)
      for (const { site } of waypoints) if (site.lat !== null && site.lon !== null) sites.set(site.id, siteOf(site));
  }
  return [...sites.values()];
}

function siteOf({ id, name, lat, lon, routingGeofence }: SiteAnswer): MapSite {
  const place = { lat: Number(lat), lon: Number(lon) };
  const fence = routingGeofence?.geofence;
  const circle = fence?.circleRadius ? { centre: fence.circleCenter ?? place, radius: fence.circleRadius } : undefined;
  return { id, name, ...place, ...(circle ? { circle } : {}), rings: ringsOf(fence?.geojson) };
}

/** The outer rings of a polygon, or of several. */
function ringsOf(geojson: { type: string; coordinates: unknown } | null | undefined): Place[][] {
  const places = (ring: [number, number][]) => ring.map(([lon, lat]) => ({ lat, lon }));
  if (geojson?.type === 'Polygon') return [places((geojson.coordinates as [number, number][][])[0] ?? [])];
  if (geojson?.type === 'MultiPolygon') return (geojson.coordinates as [number, number][][][]).map(([outer]) => places(outer ?? []));
  return [];
}
