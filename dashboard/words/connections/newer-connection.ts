/** A connection that only a newer version of the service can read. */
export const newerConnectionWords = {
  name: 'Of a newer version',
  sentence: 'This version of the service cannot show it. It appears here again after the next update.',
};
