// Congestion trees at a moment: roots, branches, and the hosts of contributors and victims.

/**
 * Returns the trees at a moment, and the roots of trees that are only counted.
 *
 * @param {import("./types.js").Fabric} fabric
 * @param {number} moment
 */
export function treesAt(fabric, moment) {
  return { trees: fabric.trees.filter((tree) => tree.moment === moment), further: fabric.further_roots[moment] || [] };
}

/**
 * Returns the marks of some trees: sets of outputs and hosts.
 *
 * @param {Omit<import("./types.js").Tree, "moment">[]} trees
 * @param {number[]} further
 * @returns {import("./types.js").Marks}
 */
export function marksOf(trees, further) {
  /** @type {import("./types.js").Marks} */
  const marks = { roots: new Set(further), branches: new Set(), contributors: new Set(), victims: new Set() };
  for (const tree of trees) {
    marks.roots.add(tree.root);
    tree.branches.forEach((output) => marks.branches.add(output));
    tree.contributors.forEach((host) => marks.contributors.add(host));
    tree.victims.forEach((host) => marks.victims.add(host));
  }
  return marks;
}

/**
 * Returns the name of an output.
 *
 * @param {import("./types.js").Graph} fabric
 * @param {number} output
 */
export function outputName(fabric, output) {
  const [node, port, peer] = fabric.outputs.slice(3 * output, 3 * output + 3);
  return fabric.nodes[node] + " port " + port + " to " + fabric.nodes[peer];
}

/**
 * Returns names in words: the first few, and the number of the others.
 *
 * @param {string[]} names
 * @param {number} most
 */
export function listed(names, most) {
  const rest = names.length - most;
  return rest > 0 ? names.slice(0, most).join(", ") + " and " + rest + " more" : names.join(", ");
}
