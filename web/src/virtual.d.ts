/** Pictures of the gallery by their names, as SVG: web/thumbnails.ts makes them when the page is built. */
declare module "virtual:thumbnails" {
  const thumbnails: Record<string, string>;
  export default thumbnails;
}
