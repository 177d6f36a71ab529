/** Returns the fixed zone where the hour of the day is `hour` now. At noon no day ends during a test, whatever time it is elsewhere. */
export function zoneAt(hour: number): string {
  const ahead = ((((hour - new Date().getUTCHours()) % 24) + 36) % 24) - 12;
  return `Etc/GMT${ahead > 0 ? '-' : '+'}${Math.abs(ahead)}`;
}
