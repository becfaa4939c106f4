/** The settings of an AWS client for the local cloud. */
export type LocalClient = {
  endpoint: string;
  region: string;
  credentials: { accessKeyId: string; secretAccessKey: string };
};
