// Compares what the package says about bundled packages with what it contains: notices, banners, SBOM and code.

const BANNER = /^\/\/ Contains (.*): see THIRD-PARTY-NOTICES\.md\.\n/;
const NAMED = /^(\S+) (\S+) \((.+)\)$/;
/** The bundler writes the path of each module above its code. */
const MODULE = /^\/\/ \S*node_modules\/((?:@[^/\s]+\/)?[^/\s]+)\/\S+$/gm;

/** Returns the names of the packages whose code is in a built file. */
export function packagesInCode(text) {
  return [...new Set([...text.matchAll(MODULE)].map(([, name]) => name))].sort();
}

/** Returns the packages that the banner of a built file names, as "name version (licence)". */
export function packagesInBanner(text) {
  return BANNER.exec(text)?.[1].split(', ').sort() ?? [];
}

/** Returns the packages that the notices have a section for, as "name version (licence)", with the text of each section. */
export function packagesInNotices(markdown) {
  const sections = markdown.split(/^## /m).slice(1);
  return new Map(sections.map((section) => section.split('\n', 1)[0]).map((title, at) => [title, sections[at]]));
}

/**
 * Returns every disagreement as a sentence. `files` are the texts of the built files by path, `installed(name)` returns
 * `{ version, licence, text }` of a package in node_modules, `text` being its licence file; `sbom` is parsed.
 */
export function disagreements({ files, notices, sbom, manifest, installed }) {
  const describe = (name) => `${name} ${installed(name).version} (${installed(name).licence})`;
  const inCode = new Map([...files].map(([path, text]) => [path, packagesInCode(text)]));
  const bundled = [...new Set([...inCode.values()].flat())].sort();
  return [
    ...[...inCode].flatMap(([path, names]) =>
      compare(`The banner of ${path}`, packagesInBanner(files.get(path)), names.map(describe)),
    ),
    ...noticeFaults(packagesInNotices(notices), bundled.map(describe), installed),
    ...sbomFaults(sbom, { inCode, bundled, manifest, describe }),
  ];
}

function noticeFaults(sections, wanted, installed) {
  const withoutLicence = wanted.filter((title) => {
    const [, name] = NAMED.exec(title);
    return sections.has(title) && !sections.get(title).includes(installed(name).text);
  });
  return [
    ...compare('THIRD-PARTY-NOTICES.md', [...sections.keys()], wanted),
    ...withoutLicence.map((title) => `THIRD-PARTY-NOTICES.md lacks the licence text of ${title}`),
  ];
}

function sbomFaults({ components }, { inCode, bundled, manifest, describe }) {
  const dependencies = Object.keys(manifest.dependencies ?? {});
  const peers = Object.keys(manifest.peerDependencies ?? {});
  const wanted = [
    ...bundled.map((name) => `${describe(name)}, required, in ${filesWith(name, inCode).join(' ')}`),
    ...dependencies.map((name) => `${describe(name)}, required`),
    ...peers.map((name) => `${describe(name)}, optional`),
  ];
  const found = components.map(({ name, version, licenses, scope, evidence }) => {
    const files = evidence?.occurrences.map(({ location }) => location) ?? [];
    const where = files.length > 0 ? `, in ${files.join(' ')}` : '';
    return `${name} ${version} (${licenses.map(({ license }) => license.id).join()}), ${scope}${where}`;
  });
  return compare('The SBOM', found, wanted);
}

function filesWith(name, inCode) {
  return [...inCode]
    .filter(([, names]) => names.includes(name))
    .map(([path]) => path)
    .sort();
}

function compare(where, found, wanted) {
  return [
    ...wanted.filter((each) => !found.includes(each)).map((each) => `${where} lacks ${each}`),
    ...found
      .filter((each) => !wanted.includes(each))
      .map((each) => `${where} has ${each}, which is not in the package`),
  ];
}
