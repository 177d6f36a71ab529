import { type KeyboardEvent, type PointerEvent, useEffect, useRef, useState, type WheelEvent } from 'react';
import type { MapSite, Place, Truck } from './day-api.ts';
import { around, MOST_ZOOM, metresPerPixel, placeAt, project, type Shown, tilesOf } from './mercator.ts';
import { type Written, written } from './names.ts';
import type { Tiles } from './tiles.ts';

const WIDTH = 960;
const HEIGHT = 560;
/** Names are written while there is room for them. */
const MOST_NAMES = 30;
/** Pixels from a mark to its name. */
const ASIDE_TRUCK = 12;
const ABOVE_TRUCK = -6;
const ASIDE_SITE = 8;
const BELOW_SITE = 4;

interface Props {
  sites: readonly MapSite[];
  trucks: readonly Truck[];
  /** Drawn below the sites where a server of tiles is configured. */
  tiles: Tiles | undefined;
  /** Whether these are all, so that what is shown can be chosen by them. */
  complete: boolean;
  /** The job that is picked out. */
  job: string;
  onPick: (jobId: string) => void;
  when: (instant: string | null) => string;
}

/** Sites with their geofences and the trucks of jobs under way, drawn in the browser. */
export function DayMap({ sites, trucks, tiles, complete, job, onPick, when }: Props) {
  const [shown, setShown] = useState<Shown>();
  const svg = useRef<SVGSVGElement>(null);
  const dragged = useRef<{ x: number; y: number } | undefined>(undefined);
  const all = around([...sites, ...trucks], WIDTH, HEIGHT);
  // The markers that are there decide once what is shown; from then on people do.
  const now = shown ?? all;
  useEffect(() => {
    if (!shown && all && complete) setShown(all);
  }, [shown, all, complete]);
  if (!now) return <p className="meaning">No site of the day has coordinates.</p>;
  const { centre, zoom } = now;
  const middle = project(centre, zoom);
  const at = (place: Place) => {
    const { x, y } = project(place, zoom);
    return { x: x - middle.x + WIDTH / 2, y: y - middle.y + HEIGHT / 2 };
  };
  const move = (x: number, y: number) => setShown({ centre: placeAt({ x: middle.x + x, y: middle.y + y }, zoom), zoom });
  const nearer = (by: number) => setShown({ centre, zoom: Math.max(1, Math.min(MOST_ZOOM, zoom + by)) });
  const press = (event: KeyboardEvent) => {
    const step = { ArrowLeft: [-80, 0], ArrowRight: [80, 0], ArrowUp: [0, -80], ArrowDown: [0, 80] }[event.key];
    if (step) move(step[0]!, step[1]!);
    else if (event.key === '+' || event.key === '=') nearer(0.5);
    else if (event.key === '-') nearer(-0.5);
    else if (event.key === '0') setShown(all);
    else return;
    event.preventDefault();
  };
  const wheel = (event: WheelEvent) => event.ctrlKey && nearer(event.deltaY < 0 ? 0.5 : -0.5);
  const drag = (event: PointerEvent) => {
    if (!dragged.current || !svg.current) return;
    const scale = WIDTH / svg.current.getBoundingClientRect().width;
    move((dragged.current.x - event.clientX) * scale, (dragged.current.y - event.clientY) * scale);
    dragged.current = { x: event.clientX, y: event.clientY };
  };
  const perPixel = metresPerPixel(centre.lat, zoom);
  const named = sites.length <= MOST_NAMES;
  // Those of trucks are written first, next to them.
  const names = written(
    [
      ...trucks.map((truck) => ({
        key: truck.jobId,
        text: truck.name,
        mark: at(truck).x,
        aside: ASIDE_TRUCK,
        y: at(truck).y + ABOVE_TRUCK,
      })),
      ...(named
        ? sites.map((site) => ({ key: site.id, text: site.name, mark: at(site).x, aside: ASIDE_SITE, y: at(site).y + BELOW_SITE }))
        : []),
    ],
    { width: WIDTH, height: HEIGHT },
  );
  return (
    <figure className="map">
      <svg
        ref={svg}
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        role="application"
        aria-label={`Map of ${sites.length} sites and ${trucks.length} trucks; arrow keys move it, plus and minus change the scale`}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: the arrow keys move the map
        tabIndex={0}
        onKeyDown={press}
        onWheel={wheel}
        onPointerDown={(event) => {
          dragged.current = { x: event.clientX, y: event.clientY };
        }}
        onPointerMove={drag}
        onPointerUp={() => {
          dragged.current = undefined;
        }}
        onPointerLeave={() => {
          dragged.current = undefined;
        }}
      >
        {tiles &&
          tilesOf(now, WIDTH, HEIGHT).map(({ key, x, y, size, ...tile }) => (
            <image key={key} href={tiles.url(tile)} x={x} y={y} width={size} height={size} />
          ))}
        {sites.map((site) => (
          <Site key={site.id} site={site} at={at} perPixel={perPixel} name={names.get(site.id)} />
        ))}
        {trucks.map((truck) => (
          <TruckMark
            key={truck.jobId}
            truck={truck}
            at={at}
            name={names.get(truck.jobId)!}
            picked={truck.jobId === job}
            onPick={onPick}
            when={when}
          />
        ))}
        <Scale perPixel={perPixel} />
      </svg>
      <figcaption className="acts">
        <button type="button" onClick={() => nearer(0.5)}>
          Nearer
        </button>
        <button type="button" onClick={() => nearer(-0.5)}>
          Farther
        </button>
        <button type="button" onClick={() => setShown(all)}>
          All
        </button>
        {tiles && <span className="meaning">{tiles.attribution}</span>}
      </figcaption>
    </figure>
  );
}

type At = (place: Place) => { x: number; y: number };

/** @param name where its name is written, if it is */
function Site({ site, at, perPixel, name }: { site: MapSite; at: At; perPixel: number; name: Written | undefined }) {
  const { x, y } = at(site);
  const centre = site.circle && at(site.circle.centre);
  return (
    <g className="site">
      <title>{site.name}</title>
      {site.circle && centre && <circle className="fence" cx={centre.x} cy={centre.y} r={Math.max(site.circle.radius / perPixel, 3)} />}
      {site.rings.map((ring) => {
        const points = ring.map((place) => Object.values(at(place)).join(',')).join(' ');
        return <polygon key={points} className="fence" points={points} />;
      })}
      <rect x={x - 4} y={y - 4} width={8} height={8} />
      {name && (
        <text x={name.x} y={name.y} textAnchor={name.anchor}>
          {site.name}
        </text>
      )}
    </g>
  );
}

function TruckMark({
  truck,
  at,
  name,
  picked,
  onPick,
  when,
}: {
  truck: Truck;
  at: At;
  name: Written;
  picked: boolean;
  onPick: (jobId: string) => void;
  when: Props['when'];
}) {
  const { x, y } = at(truck);
  const press = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' && event.key !== ' ') return;
    event.preventDefault();
    onPick(truck.jobId);
  };
  return (
    // biome-ignore lint/a11y/useSemanticElements: an SVG has no button
    <g
      className={picked ? 'truck picked' : 'truck'}
      role="button"
      tabIndex={0}
      aria-label={`${truck.name}, last seen ${when(truck.occurredAt)}`}
      onClick={() => onPick(truck.jobId)}
      onKeyDown={press}
      transform={`translate(${x} ${y})`}
    >
      <title>{`${truck.name}, last seen ${when(truck.occurredAt)}`}</title>
      {truck.bearing === null ? <circle r={7} /> : <path d="M0-11 7 8 0 4-7 8Z" transform={`rotate(${truck.bearing})`} />}
      <text x={name.x - x} y={name.y - y} textAnchor={name.anchor}>
        {truck.name}
      </text>
    </g>
  );
}

/** A length that is round in metres or kilometres. */
function Scale({ perPixel }: { perPixel: number }) {
  const most = perPixel * 160;
  const unit = 10 ** Math.floor(Math.log10(most));
  const metres = unit * ([5, 2, 1].find((times) => unit * times <= most) ?? 1);
  const length = metres / perPixel;
  return (
    <g className="scale" transform={`translate(16 ${HEIGHT - 18})`}>
      <path d={`M0-5V0H${length}V-5`} />
      <text x={length + 8} y={1}>
        {metres >= 1000 ? `${metres / 1000} km` : `${metres} m`}
      </text>
    </g>
  );
}
