import { stringify } from 'yaml';
import { dashboardOpenApiDocument } from '../../shared/messages/dashboard/openapi.ts';
import { openApiDocument } from '../../shared/messages/rest/openapi.ts';

export const OPENAPI_PAGE = 'docs/openapi.yaml';

const INTRODUCTION = `# The routes of clients, CRMs and vendors, as /openapi.json answers them. \`npm run docs:routes\` writes this file from
# shared/messages/rest/. docs/rest-api.md explains them.
`;

/** Returns the OpenAPI document of clients, CRMs and vendors, as YAML. */
export const openApiPage = (): string => INTRODUCTION + yaml(openApiDocument());

export const DASHBOARD_OPENAPI_PAGE = 'docs/openapi-dashboard.yaml';

const DASHBOARD_INTRODUCTION = `# The routes of the dashboard, as /api/openapi-dashboard.json answers them. \`npm run docs:routes\` writes this file
# from shared/messages/dashboard/. docs/dashboard.md explains them.
`;

/** Returns the OpenAPI document of the dashboard, as YAML. */
export const dashboardOpenApiPage = (): string => DASHBOARD_INTRODUCTION + yaml(dashboardOpenApiDocument());

const yaml = (document: object) => stringify(document, { aliasDuplicateObjects: false, lineWidth: 120 });
