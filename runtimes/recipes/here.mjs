/** Makes what a recipe listens with take a free port of this machine, and say where that is. Loaded before the recipe. */

const tell = (port) => console.log(JSON.stringify({ url: `http://127.0.0.1:${port}/mcp` }));

if (globalThis.Bun) {
  Bun.serveHere = (options) => tell(Bun.serve({ ...options, port: 0, hostname: '127.0.0.1' }).port);
} else if (globalThis.Deno) {
  const here = { port: 0, hostname: '127.0.0.1', onListen: ({ port }) => tell(port) };
  Deno.serveHere = (options, handler) => Deno.serve({ ...options, ...here }, handler);
} else {
  const { Server } = await import('node:net');
  const { listen } = Server.prototype;
  Server.prototype.listen = function () {
    return listen.call(this, 0, '127.0.0.1', () => tell(this.address().port));
  };
}
