/** Something that looks like a secret. The value itself is left out, because reports end up in logs. */
export interface Finding {
  file: string;
  line: number;
  kind: string;
}

/** Formats of well-known secrets, by which scanners find them. */
const SHAPES: Record<string, RegExp> = {
  'private key': /-----BEGIN (?:[A-Z]+ )*PRIVATE KEY(?: BLOCK)?-----\s*(?:\\n)?[A-Za-z0-9+/=\\\s]{32}/,
  'age key': /AGE-SECRET-KEY-1[0-9A-Z]{50,}/,
  'AWS access key': /\b(?:AKIA|ASIA)[0-9A-Z]{16}\b/,
  'Google API key': /\bAIza[\w-]{35}\b/,
  'Google OAuth secret': /\bGOCSPX-[\w-]{28}\b/,
  'Azure storage key': /AccountKey=[A-Za-z0-9+/]{60,}={0,2}/,
  'GitHub token': /\b(?:gh[pousr]_[A-Za-z0-9]{36,}|github_pat_\w{60,})\b/,
  'GitLab token': /\bglpat-[\w-]{20,}/,
  'npm token': /\bnpm_[A-Za-z0-9]{36}\b/,
  'PyPI token': /\bpypi-[\w-]{50,}/,
  'Slack token': /\bxox[abeoprs]-[\w-]{20,}/,
  'Slack webhook': /hooks\.slack\.com\/services\/T\w+\/B\w+\/\w{20,}/,
  'Discord webhook': /discord(?:app)?\.com\/api\/webhooks\/\d{15,}\/[\w-]{50,}/,
  'Telegram bot': /\b\d{8,10}:AA[\w-]{33}\b/,
  'Stripe key': /\b[rs]k_(?:live|test)_[A-Za-z0-9]{20,}/,
  'Square secret': /\bsq0csp-[\w-]{40,}/,
  'Shopify token': /\bshp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}\b/,
  'Twilio key': /\bSK[0-9a-f]{32}\b/,
  'SendGrid key': /\bSG\.[\w-]{20,}\.[\w-]{40,}/,
  'Mailgun key': /\bkey-[0-9a-f]{32}\b/,
  'Mailchimp key': /\b[0-9a-f]{32}-us\d{1,2}\b/,
  'OpenAI key': /\bsk-(?:proj-)?[A-Za-z0-9_-]{40,}/,
  'DigitalOcean token': /\bdo[opr]_v1_[0-9a-f]{64}\b/,
  'Vault token': /\bhv[sb]\.[\w-]{24,}/,
  'Linear key': /\blin_api_[A-Za-z0-9]{40}\b/,
  'Mapbox secret': /\bsk\.eyJ[\w-]{20,}\.[\w-]{20,}/,
  'Databricks token': /\bdapi[0-9a-f]{32}\b/,
  'signed token': /\beyJ[\w-]{10,}\.eyJ[\w-]{10,}\.[\w-]{20,}/,
  'password in a URL': /\b[a-z][a-z0-9+.-]*:\/\/[^\s:/@'"`$<{]+:([^\s:/@'"`$<{]{6,})@(?!localhost\b|127\.)/i,
  'Basic credentials': /\bBasic [A-Za-z0-9+/]{24,}={0,2}/,
};

/** `client_secret = "..."`, in all notations of assignments. */
const ASSIGNED =
  /(?:pass(?:word|wd|phrase)?|pwd|secret|token|api[_-]?key|access[_-]?key|private[_-]?key|credentials?)["']?\s*(?::=|=>|[:=])\s*["'`]?([A-Za-z0-9+/=_.~!@#%^&*-]{16,})/gi;

/** Long runs of hexadecimal or Base64 in quotes, whatever their name. */
const RUN = /["'`]([A-Za-z0-9+/_-]{40,}={0,2}|[0-9a-f]{40,})["'`]/g;

/** Text that is random by nature and no secret: checksums of packages, and of migrations. */
const CHECKSUMS = /(^|\/)(package-lock|released-migrations)\.json$/;

/** Words that make a value an example, a name or code. */
const HARMLESS = /example|placeholder|changeme|dummy|your[_-]?|xxxx|process\.env|\.{3}|^(?:password|secret)$/i;

/** Returns what looks like a secret in one file. */
export function findSecrets(file: string, text: string): Finding[] {
  const found: Finding[] = [];
  const add = (index: number, kind: string) => {
    const line = text.slice(0, index).split('\n').length;
    if (!found.some((one) => one.line === line)) found.push({ file, line, kind });
  };
  for (const [kind, shape] of Object.entries(SHAPES)) {
    for (const match of text.matchAll(new RegExp(shape, shape.flags.includes('g') ? shape.flags : `${shape.flags}g`))) {
      if (!(match[1] && HARMLESS.test(match[1]))) add(match.index, kind);
    }
  }
  if (CHECKSUMS.test(file)) return found;
  for (const match of text.matchAll(ASSIGNED)) if (isRandom(match[1]!, 3.3)) add(match.index, 'assigned secret');
  for (const match of text.matchAll(RUN)) if (isRandom(match[1]!, /^[0-9a-f]+$/.test(match[1]!) ? 3 : 4.3)) add(match.index, 'random text');
  return found.sort((a, b) => a.line - b.line);
}

/** Returns whether a value is random: letters and digits mixed, few of them repeated. @param bits per character, at least */
function isRandom(value: string, bits: number): boolean {
  if (HARMLESS.test(value) || !/\d/.test(value) || !/[a-z]/i.test(value)) return false;
  return entropy(value) >= bits;
}

/** Returns the Shannon entropy in bits per character. */
function entropy(value: string): number {
  const counts = new Map<string, number>();
  for (const character of value) counts.set(character, (counts.get(character) ?? 0) + 1);
  return [...counts.values()].reduce((sum, count) => sum - (count / value.length) * Math.log2(count / value.length), 0);
}
