const HOUR = 3_600_000;

/** Returns how instants are written in a zone: with their offset in the hours that are there twice, because clocks fall back. */
export const timesIn =
  (zone: string | undefined) =>
  (instant: string | null): string => {
    if (instant === null) return '';
    const at = new Date(instant);
    const written = (moment: number) =>
      new Date(moment).toLocaleString(undefined, { timeZone: zone, dateStyle: 'medium', timeStyle: 'medium' });
    const text = written(at.getTime());
    if (text !== written(at.getTime() - HOUR) && text !== written(at.getTime() + HOUR)) return text;
    const parts = new Intl.DateTimeFormat(undefined, { timeZone: zone, timeZoneName: 'short' }).formatToParts(at);
    return `${text} ${parts.find(({ type }) => type === 'timeZoneName')?.value ?? ''}`;
  };
