/** The folders of the files bucket, and the place of an organization's files below them. */
export const bucketFolders: Readonly<Record<string, (orgId: string) => string>> = {
  'transcripts/': (orgId) => `transcripts/${orgId}/`,
  'recordings/': (orgId) => `recordings/${orgId}/`,
  'knowledge/': (orgId) => `knowledge/${orgId}/`,
  // Its files are stored before the organization is known.
  'reported-transcripts/': () => 'reported-transcripts/',
};
