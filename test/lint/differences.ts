type Template = { Resources?: Record<string, object>; Outputs?: object };

/**
 * Reduces a template to the resources that differ from those of another template, with all resources that they name.
 * Leaves the outputs out, because they name the others.
 * @param alike maps a name of the first template to the name in the other one
 * @returns undefined if no resource differs
 */
export function differences(
  template: Template,
  other: Template | undefined,
  alike: (text: string) => string = (text) => text,
): object | undefined {
  const { Outputs: _, Resources: resources = {}, ...rest } = template;
  const kept = new Set<string>();
  const keep = (id: string): void => {
    if (!(id in resources) || kept.has(id)) return;
    kept.add(id);
    for (const named of namesIn(resources[id])) keep(named);
  };
  for (const [id, resource] of Object.entries(resources))
    if (alike(JSON.stringify(resource)) !== JSON.stringify(other?.Resources?.[id])) keep(id);
  if (kept.size === 0) return undefined;
  return { ...rest, Resources: Object.fromEntries(Object.entries(resources).filter(([id]) => kept.has(id))) };
}

/** Lists what may name a resource: in Ref, Fn::GetAtt and DependsOn a whole text, in Fn::Sub a part of one. */
function namesIn(value: unknown): string[] {
  if (typeof value === 'string') return [value, ...[...value.matchAll(/\$\{(\w+)/g)].map(([, name]) => name as string)];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(namesIn) : [];
}
