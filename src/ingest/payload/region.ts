const CANADA = /^America\/(Toronto|Vancouver|Edmonton|Winnipeg|Halifax|St_Johns|Regina|Montreal)/;

/** Returns the country whose telephone numbers a company writes without a country code, by its time zone. */
export const regionOf = (timeZone: string): 'US' | 'CA' => (CANADA.test(timeZone) ? 'CA' : 'US');
