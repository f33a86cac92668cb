/** What names a resource: an identifier in linkage, or the resource itself. */
interface Identified {
  readonly type: string
  readonly id: string
}

/**
 * Finds the resource that an identifier names among those that `include` has brought along, with the type that the identifier
 * says.
 *
 * @param included of the document that the identifier stands in; undefined where nothing was included
 * @param identifier undefined and null find nothing, so that linkage which is withheld or empty can be passed as it is
 */
export function find<Resource extends Identified, Type extends Resource['type']>(
  included: readonly Resource[] | undefined,
  identifier: { readonly type: Type; readonly id: string } | null | undefined,
): Extract<Resource, { readonly type: Type }> | undefined {
  const isNamed = (one: Resource): one is Extract<Resource, { readonly type: Type }> =>
    one.type === identifier?.type && one.id === identifier.id
  return included?.find(isNamed)
}
