/** The result of `npm audit --json`, or why the registry did not answer. */
export type Audit = { done: true; serious: string[] } | { done: false; why: string };

interface Report {
  vulnerabilities?: Record<string, { severity: string; via: (string | { title: string; url: string; severity: string })[] }>;
  message?: string;
  error?: { summary?: string; code?: string };
}

const SERIOUS = ['high', 'critical'];

/** Returns the packages with a known vulnerability of high severity or worse, one line each. @param output of `npm audit --json` */
export function readAudit(output: string): Audit {
  let report: Report;
  try {
    report = JSON.parse(output) as Report;
  } catch {
    return { done: false, why: output.trim().split('\n')[0] || 'npm said nothing' };
  }
  if (!report.vulnerabilities)
    return { done: false, why: report.message || report.error?.summary || report.error?.code || 'no list came back' };
  const serious = Object.entries(report.vulnerabilities)
    .filter(([, { severity }]) => SERIOUS.includes(severity))
    .map(([name, { severity, via }]) => {
      const causes = via.map((one) => (typeof one === 'string' ? `through ${one}` : `${one.title} ${one.url}`));
      return `${name} (${severity}): ${causes.join('; ')}`;
    });
  return { done: true, serious };
}
