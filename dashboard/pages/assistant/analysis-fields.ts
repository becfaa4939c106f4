/** A field of the analysis, as the form shows it. */
export type AnalysisField = {
  name: string;
  type: FieldType;
  description: string;
  isRequired: boolean;
  /** The options of a choice, separated by commas. */
  options: string;
};

export const fieldTypes = ['string', 'number', 'integer', 'boolean', 'choice'] as const;
export type FieldType = (typeof fieldTypes)[number];

export const newField: AnalysisField = { name: '', type: 'string', description: '', isRequired: false, options: '' };

type Schema = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Schema =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const hasOnly = (value: Schema, ...names: string[]): boolean =>
  Object.keys(value).every((name) => names.includes(name));

/** @returns the fields of a schema; undefined if the form cannot show all of the schema */
export function fieldsOf(text: string): AnalysisField[] | undefined {
  if (text.trim() === '') return [];
  let schema: unknown;
  try {
    schema = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (!isObject(schema) || !hasOnly(schema, 'type', 'properties', 'required') || schema.type !== 'object')
    return undefined;
  const { properties, required = [] } = schema;
  if (!isObject(properties) || !Array.isArray(required)) return undefined;
  if (required.some((name) => typeof name !== 'string' || !Object.hasOwn(properties, name))) return undefined;
  const fields = Object.entries(properties).map(([name, property]) => fieldOf(name, property, required.includes(name)));
  return fields.every((field) => field !== undefined) ? fields : undefined;
}

function fieldOf(name: string, property: unknown, isRequired: boolean): AnalysisField | undefined {
  if (!isObject(property) || !hasOnly(property, 'type', 'description', 'enum')) return undefined;
  const { type, description = '', enum: options } = property;
  if (typeof description !== 'string') return undefined;
  if (options !== undefined) {
    const isShown =
      type === 'string' &&
      Array.isArray(options) &&
      options.every((option) => typeof option === 'string' && option.trim() === option && !/^$|,/.test(option));
    return isShown ? { name, type: 'choice', description, isRequired, options: options.join(', ') } : undefined;
  }
  const known = fieldTypes.find((one) => one === type && one !== 'choice');
  return known && { name, type: known, description, isRequired, options: '' };
}

/** @returns the schema as text, with the last field of each name; '' without any. Leaves out fields without a name. */
export function schemaOf(fields: readonly AnalysisField[]): string {
  const named = new Map(fields.map((field) => [field.name.trim(), field]));
  named.delete('');
  if (named.size === 0) return '';
  const required = [...named].filter(([, { isRequired }]) => isRequired).map(([name]) => name);
  const properties = Object.fromEntries([...named].map(([name, field]) => [name, propertyOf(field)]));
  return JSON.stringify({ type: 'object', properties, ...(required.length > 0 && { required }) }, null, 2);
}

function propertyOf({ type, description, options }: AnalysisField): Schema {
  const described = description.trim() === '' ? {} : { description: description.trim() };
  if (type !== 'choice') return { type, ...described };
  const words = [...new Set(options.split(',').map((option) => option.trim()))].filter((option) => option !== '');
  // Keeps an empty list: the API refuses the schema, instead of storing one that differs from the form.
  return { type: 'string', enum: words, ...described };
}

/** @returns a warning about a field, which can be saved nevertheless; undefined if there is none */
export function problemOf(fields: readonly AnalysisField[], index: number): string | undefined {
  const { name = '' } = fields[index] ?? {};
  if (name.trim() === '') return 'A field without a name is not saved.';
  if (fields.some((other, place) => place !== index && other.name.trim() === name.trim()))
    return 'Two fields have this name; only the last one is saved.';
  return undefined;
}

/** Returns whether a field with a name is a choice without options, which cannot be saved. */
export const lacksChoices = ({ name, type, options }: AnalysisField): boolean =>
  name.trim() !== '' && type === 'choice' && options.replace(/[\s,]/g, '') === '';
