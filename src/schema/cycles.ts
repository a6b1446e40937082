/** Strongly connected components (Gabow's way, without recursion): places that can reach each other share a number. */
export function cycles(followers: ReadonlyMap<number, readonly number[]>): Map<number, number> {
  const component = new Map<number, number>();
  const order = new Map<number, number>();
  const open: number[] = [];
  const roots: number[] = [];
  for (const start of followers.keys()) {
    if (order.has(start)) continue;
    const path: { node: number; child: number }[] = [];
    const enter = (node: number): void => {
      order.set(node, order.size);
      open.push(node);
      roots.push(node);
      path.push({ node, child: 0 });
    };
    enter(start);
    for (let top = path.at(-1); top !== undefined; top = path.at(-1)) {
      const child = followers.get(top.node)?.[top.child++];
      if (child === undefined) {
        path.pop();
        if (roots.at(-1) !== top.node) continue;
        roots.pop();
        for (let node = open.pop(); node !== undefined; node = open.pop()) {
          component.set(node, top.node);
          if (node === top.node) break;
        }
      } else if (!order.has(child)) {
        enter(child);
      } else if (!component.has(child)) {
        const reached = order.get(child) ?? 0;
        while (roots.length > 0 && (order.get(roots.at(-1) ?? 0) ?? 0) > reached) roots.pop();
      }
    }
  }
  return component;
}
