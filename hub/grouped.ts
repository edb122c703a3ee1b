/**
 * @returns the items in groups of the same key, in the order in which the keys first occur
 */
export function grouped<Item>(
  items: Iterable<Item>,
  keyOf: (item: Item) => string,
): Iterable<readonly [Item, ...Item[]]> {
  const groups = new Map<string, [Item, ...Item[]]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group) group.push(item);
    else groups.set(key, [item]);
  }
  return groups.values();
}
