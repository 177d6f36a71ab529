/** Verbs of commands whose past tense is not made by `-ed`. */
const IRREGULAR: Record<string, string> = {
  bind: 'bound',
  bring: 'brought',
  find: 'found',
  give: 'given',
  hold: 'held',
  leave: 'left',
  make: 'made',
  pay: 'paid',
  put: 'put',
  send: 'sent',
  set: 'set',
  split: 'split',
  submit: 'submitted',
  take: 'taken',
  undo: 'undone',
  write: 'written',
};

/** Returns the past participle of a verb, as outbox events have it: `order.accepted`. */
export function pastOf(verb: string): string {
  if (IRREGULAR[verb]) return IRREGULAR[verb];
  if (verb.endsWith('e')) return `${verb}d`;
  if (/[^aeiou]y$/.test(verb)) return verb.replace(/y$/, 'ied');
  // One syllable with one vowel before one consonant: `stopped`, but `canceled` and `loaded`.
  return /^[^aeiou]*[aeiou][^aeiouwxy]$/.test(verb) ? `${verb}${verb.at(-1)}ed` : `${verb}ed`;
}
