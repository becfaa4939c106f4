import { stringify } from 'yaml';
import { openApiDocument } from '../../shared/messages/rest/openapi.ts';

export const OPENAPI_PAGE = 'docs/openapi.yaml';

const INTRODUCTION = `# The routes of clients, CRMs and vendors, as /openapi.json answers them. \`npm run docs:routes\` writes this file from
# shared/messages/rest/. docs/rest-api.md explains them.
`;

/** @returns the OpenAPI document, as YAML */
export const openApiPage = (): string =>
  INTRODUCTION + stringify(openApiDocument(), { aliasDuplicateObjects: false, lineWidth: 120 });
