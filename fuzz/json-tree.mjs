// JSON as a tree that can also hold what no JavaScript value can: duplicate keys, numbers such as 1e999, escapes as they are
// written. A node is `{ members: [[key, node]] }`, `{ items: [node] }` or `{ text }` with JSON text.

export function treeOf(value) {
  if (Array.isArray(value)) return { items: value.map(treeOf) };
  if (value === null || typeof value !== 'object') return { text: JSON.stringify(value) ?? 'null' };
  return { members: Object.entries(value).map(([key, member]) => [key, treeOf(member)]) };
}

export function textOf(node) {
  if (node.members) return `{${node.members.map(([key, value]) => `${JSON.stringify(key)}:${textOf(value)}`).join()}}`;
  return node.items ? `[${node.items.map(textOf).join()}]` : node.text;
}

export function copyOf(node) {
  if (node.members) return { members: node.members.map(([key, value]) => [key, copyOf(value)]) };
  return node.items ? { items: node.items.map(copyOf) } : { text: node.text };
}

/** Every place of a tree: `get` and `set` its node; `parent` and `index` say where it is, for all but the root. */
export function placesIn(root) {
  const places = [];
  const visit = (place) => {
    places.push(place);
    const { members, items } = place.get();
    for (const [index, member] of (members ?? []).entries()) {
      const set = (node) => {
        member[1] = node;
      };
      visit({ get: () => member[1], set, parent: members, index, member });
    }
    for (const index of (items ?? []).keys()) {
      const set = (node) => {
        items[index] = node;
      };
      visit({ get: () => items[index], set, parent: items, index });
    }
  };
  const holder = { root };
  const set = (node) => {
    holder.root = node;
  };
  visit({ get: () => holder.root, set });
  return { places, root: () => holder.root };
}
