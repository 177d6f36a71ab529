// node --import ./scripts/typescript.mjs scripts/hygiene/house.ts [folder]: counts what docs/house.md compares, in the source of a folder, by default
// of this one. Another commit: `git archive COMMIT src test | tar -x -C FOLDER`.
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';

const root = process.argv[2] ?? '.';
const filesIn = (folder: string) =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).filter((name) => /\.tsx?$/.test(name));
const textOf = (folder: string, name: string) => readFileSync(join(root, folder, name), 'utf8');

/** Words of HOUSE section 10 in another meaning than the field's. A fence around a site is one, and so is the rate card. */
const WORDS: Record<string, RegExp> = {
  'tell, tells, telling, told': /\b(tell|tells|telling|told)\b/gi,
  'needs as a name': /\b(needs|Needs|declareNeeds)\b(?=[:(,.]| [=}])|@Needs\b/g,
  'wall, fence (of companies)': /\b(wall|walls|fences)\.ts\b|\braiseWall\b|\bread fence\b/g,
  face: /\bfaces?\b/gi,
  papers: /\bpapers?\b/gi,
  'card without rate': /(?<!rate )(?<!Rate )(?<!credit )\bcards?\b/gi,
  letters: /\bletters?\b/gi,
  'beside, besides': /\bbesides?\b/gi,
  'stand, stands': /\b(stand|stands)\b/gi,
};

const src = filesIn('src');
const test = filesIn('test');
const texts = new Map(src.map((name) => [name, textOf('src', name)]));
const report: [string, string | number][] = [];

report.push(['files of src', src.length], ['lines of src', sum([...texts.values()].map((text) => text.split('\n').length - 1))]);
for (const [folder, names] of [
  ['src', src],
  ['test', test],
] as const) {
  const sizes = Map.groupBy(names, (name) => dirname(name));
  const [largest, its] = [...sizes].sort(([, a], [, b]) => b.length - a.length)[0]!;
  report.push([`largest folder of ${folder}`, `${its.length} (${join(folder, largest)})`]);
}
report.push(['files above 300 lines', src.filter((name) => texts.get(name)!.split('\n').length > 301).length]);

const known = new Set(src);
const arrows = new Map(
  src.map((file) => [
    file,
    [...texts.get(file)!.matchAll(/(?:from|import)\s*\(?\s*'(\.{1,2}\/[^']+)'/g)]
      .map((match) => normalize(join(dirname(file), match[1]!)))
      .filter((to) => known.has(to)),
  ]),
);
const circles = circlesOf(arrows);
report.push(['circles of files', `${circles.length} with ${sum(circles.map((circle) => circle.length))} files`]);
/** The ground of the platform: what is outside of folders, and the folders that it refers to. */
const GROUND = new Set(['i18n', 'json', 'storage', 'queue', 'tracing', 'worlds']);
const floorOf = (file: string) => {
  const folder = file.split('/').slice(0, -1)[1] ?? '';
  return GROUND.has(folder) ? '' : folder;
};
const floors = new Map<string, string[]>();
for (const [file, to] of arrows)
  if (file.startsWith('platform/'))
    floors.set(floorOf(file), [...(floors.get(floorOf(file)) ?? []), ...to.filter((one) => one.startsWith('platform/')).map(floorOf)]);
const floorCircles = circlesOf(new Map([...floors].map(([from, to]) => [from, to.filter((one) => one !== from)])));
report.push(['folders of platform that import each other in circles', floorCircles.flat().length]);

const effects = [...texts].flatMap(([name, text]) => (name.startsWith('console/') ? [] : (text.match(/^import '\.{1,2}\//gm) ?? [])));
report.push(['imports for effect', effects.length]);
const REGISTERS =
  /^(define[A-Z]\w*|belongs|limit[A-Z]\w*|extendEntity|declare[A-Z]\w*|restrict[A-Z]\w*|register(?!EnumType|Rooms)[A-Z]\w*)\(/gm;
report.push(['registrations for effect', sum([...texts].map(([, text]) => text.match(REGISTERS)?.length ?? 0))]);
report.push(['functions that set a variable of a module', sum([...texts].map(([, text]) => settersIn(text)))]);

const all = [...texts.values()].join('\n');
for (const [words, pattern] of Object.entries(WORDS)) report.push([words, all.match(pattern)?.length ?? 0]);

for (const [what, count] of report) console.log(`${what.padEnd(56)} ${count}`);

function sum(numbers: readonly number[]): number {
  return numbers.reduce((a, b) => a + b, 0);
}

/** Exported functions that give a variable of their module the value of a parameter. */
function settersIn(text: string): number {
  const variables = [...text.matchAll(/^let (\w+)/gm)].map((match) => match[1]!);
  const functions = [
    ...text.matchAll(/^export (?:async )?(?:function|const) \w+[^(]*\(([^)]*)\)([\s\S]*?)(?=^\S*[})]|^export|$(?![\s\S]))/gm),
  ];
  return functions.filter(([, parameters, body]) => {
    const names = [...parameters!.matchAll(/(\w+)[?]?:|(\w+),/g)].map((match) => match[1] ?? match[2]!);
    return variables.some((variable) =>
      [...body!.matchAll(new RegExp(`\\b${variable} = (.*)`, 'g'))].some(([, value]) =>
        names.some((name) => new RegExp(`\\b${name}\\b`).test(value!)),
      ),
    );
  }).length;
}

/** Sets of more than one name each of which is reached from each other one (Tarjan). */
function circlesOf(graph: ReadonlyMap<string, readonly string[]>): string[][] {
  const order = new Map<string, number>();
  const low = new Map<string, number>();
  const stack: string[] = [];
  const found: string[][] = [];
  const visit = (name: string): void => {
    order.set(name, order.size);
    low.set(name, order.get(name)!);
    stack.push(name);
    for (const to of graph.get(name) ?? []) {
      if (!order.has(to)) visit(to);
      if (stack.includes(to)) low.set(name, Math.min(low.get(name)!, low.get(to)!));
    }
    if (low.get(name) !== order.get(name)) return;
    const circle = stack.splice(stack.indexOf(name));
    if (circle.length > 1) found.push(circle);
  };
  for (const name of graph.keys()) if (!order.has(name)) visit(name);
  return found;
}
