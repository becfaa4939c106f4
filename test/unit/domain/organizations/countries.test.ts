import {
  allowedCountries,
  countriesAfter,
  mayCallCountry,
  rateRange,
  ratesInCredits,
} from '../../../../shared/domain/organizations/countries.ts';

const limited = { default_region: 'IN', countries: ['US', 'AE'] };
/** An organization from before the list of countries. */
const unlimited = { default_region: 'IN', countries: undefined };

describe('the countries that an organization may call', () => {
  it.each([
    ['IN', true],
    ['US', true],
    ['AE', true],
    ['GB', false],
  ])('include its region and the countries of its list: %s is %s', (country, isAllowed) => {
    expect(mayCallCountry(limited, country)).toBe(isAllowed);
  });

  it('are only its region if the list is empty, and all countries without a list', () => {
    const ofRegion = { default_region: 'IN', countries: [] };
    expect(['IN', 'US'].map((country) => mayCallCountry(ofRegion, country))).toEqual([true, false]);
    expect(['IN', 'US'].map((country) => mayCallCountry(unlimited, country))).toEqual([true, true]);
  });

  it('are listed with the region first, and each country once', () => {
    expect(allowedCountries(limited)).toEqual(['IN', 'US', 'AE']);
    expect(allowedCountries({ default_region: 'AE', countries: ['US', 'AE'] })).toEqual(['AE', 'US']);
    expect(allowedCountries(unlimited)).toBeUndefined();
  });
});

describe('a change of the region', () => {
  it('keeps the former region allowed', () => {
    expect(countriesAfter(limited, 'US')).toEqual(['US', 'AE', 'IN']);
  });

  it.each([
    ['without a new region', limited, undefined],
    ['to the same region', limited, 'IN'],
    ['of an organization that may call every country', unlimited, 'US'],
    ['whose former region is on the list', { default_region: 'IN', countries: ['IN'] }, 'US'],
  ])('%s leaves the list as it is', (_, org, region) => {
    expect(countriesAfter(org, region)).toBeUndefined();
  });
});

describe('the rates of an organization', () => {
  it('cover the countries that it may call, with its own rate if a country has none', () => {
    const rates = { US: 3000, AE: 500, GB: 9000 };
    expect(rateRange({ ...limited, rate: 1000, rates })).toEqual({ least: 500, most: 3000 });
    expect(rateRange({ ...limited, rate: 1000, rates: undefined })).toEqual({ least: 1000, most: 1000 });
  });

  it('cover all its rates if it may call every country', () => {
    expect(rateRange({ ...unlimited, rate: 1000, rates: { GB: 9000 } })).toEqual({ least: 1000, most: 9000 });
    expect(rateRange({ ...unlimited, rate: 1000, rates: { GB: 900 } })).toEqual({ least: 900, most: 1000 });
  });

  it('are shown in credits', () => {
    expect(ratesInCredits({ US: 3000, AE: 500 })).toEqual({ US: 3, AE: 0.5 });
  });
});
